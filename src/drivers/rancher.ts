import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Driver } from "../core/host/driver.ts";
import { FurrowError } from "../core/errors.ts";
import { hideCredential, reveal } from "../core/secrets/secret.ts";
import { httpDriver } from "./http.ts";

const requestSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  /** The API token, ACCESS:SECRET, which may be secret. */
  token: z.string().min(1),
  /** The cluster's name in Rancher. */
  name: z.string().min(1),
  caCert: z.string().optional(),
  insecure: z.boolean().optional(),
});

type RancherRequest = z.output<typeof requestSchema>;

/** The data that Rancher returns about a cluster. */
type RancherAnswer =
  /**
   * `registration` is the URL that the cluster uses to register itself; absent until Rancher has created the URL. The
   * URL contains a token.
   */
  | { readonly found: true; readonly id: string; readonly state: string; readonly registration?: string }
  | { readonly found: false }
  | { readonly error: { readonly code: string; readonly message: string } };

/**
 * The maximum number of times that the driver asks Rancher for the URL, and the pause in milliseconds between two
 * attempts: Rancher creates the URL shortly after the cluster.
 */
const tries = 30;
const pauseMs = 1000;

/**
 * Asks Rancher's API (v3: clusters and clusterregistrationtokens) for an imported Harvester cluster. The call creates
 * the cluster, and the URL that Harvester uses to register, unless they exist.
 */
export const rancherDriver: Driver = {
  name: "rancher",
  read: async (request, signal): Promise<RancherAnswer> => look(requestSchema.parse(request), signal),
  call: async (request, signal) => {
    const wanted = requestSchema.parse(request);
    let found = await look(wanted, signal);
    if ("error" in found) throw failed(wanted, found.error.message);
    if (!found.found) {
      // With this label, Rancher lists the cluster under Virtualization Management.
      const cluster = { type: "cluster", name: wanted.name, labels: { "provider.cattle.io": "harvester" } };
      await send(wanted, "/v3/clusters", cluster, signal);
    }
    for (let tried = 0; tried < tries; tried += 1) {
      found = await look(wanted, signal);
      if ("found" in found && found.found) {
        if (found.registration !== undefined) return found;
        if (tried === 0) {
          const token = { type: "clusterRegistrationToken", clusterId: found.id };
          await send(wanted, "/v3/clusterregistrationtokens", token, signal);
        }
      }
      await sleep(pauseMs, undefined, { signal });
    }
    throw failed(wanted, "Rancher has not created a registration URL");
  },
};

async function look(wanted: RancherRequest, signal: AbortSignal): Promise<RancherAnswer> {
  const clusters = await get(wanted, `/v3/clusters?name=${encodeURIComponent(wanted.name)}`, signal);
  if ("error" in clusters) return clusters;
  const [cluster] = clusters.data;
  if (cluster?.id === undefined) return { found: false };
  const path = `/v3/clusterregistrationtokens?clusterId=${encodeURIComponent(cluster.id)}`;
  const tokens = await get(wanted, path, signal);
  if ("error" in tokens) return tokens;
  const registration = tokens.data.map(({ manifestUrl }) => manifestUrl).find((url) => url !== undefined && url !== "");
  // With this URL, anyone can register as the cluster in Rancher, so no sink may print it.
  hideCredential(registration, "rancher-registration");
  const { id, state = "" } = cluster;
  return { found: true, id, state, ...(registration !== undefined && { registration }) };
}

interface Collection {
  readonly data: readonly { readonly id?: string; readonly state?: string; readonly manifestUrl?: string }[];
}

type Answer =
  | { readonly status: number; readonly body: string }
  | { readonly error: { code: string; message: string } };

async function get(
  wanted: RancherRequest,
  path: string,
  signal: AbortSignal,
): Promise<Collection | { readonly error: { readonly code: string; readonly message: string } }> {
  const answer = (await httpDriver.read(requestTo(wanted, path), signal)) as Answer;
  if ("error" in answer) return answer;
  if (answer.status === 401) return { error: { code: "HTTP 401", message: "Rancher does not accept this token" } };
  if (answer.status >= 400) return { error: { code: `HTTP ${answer.status}`, message: answer.body.slice(0, 200) } };
  try {
    return { data: (JSON.parse(answer.body) as Partial<Collection>).data ?? [] };
  } catch {
    return { error: { code: "no-json", message: `the server at ${wanted.url} is not Rancher's API` } };
  }
}

async function send(wanted: RancherRequest, path: string, body: object, signal: AbortSignal): Promise<void> {
  const request = { ...requestTo(wanted, path), method: "POST", body: JSON.stringify(body) };
  await httpDriver.call?.(request, signal);
}

function requestTo({ url, token: given, caCert, insecure }: RancherRequest, path: string) {
  const token = reveal(given);
  hideCredential(token, "rancher-token");
  return {
    url: url.replace(/\/$/, "") + path,
    timeoutSeconds: 30,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    maxBytes: 1_048_576,
    ...(caCert !== undefined && { caCert }),
    ...(insecure !== undefined && { insecure }),
  };
}

function failed({ url, name }: RancherRequest, current: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `the cluster ${name} cannot be created in Rancher at ${url}`,
    current,
    hint: "Check the URL and the token, and that the token is allowed to create clusters",
  });
}
