import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Driver } from "../core/host/driver.ts";
import { FurrowError } from "../core/errors.ts";
import { hideCredential, reveal } from "../core/secrets/secret.ts";
import type { RancherAnswer } from "../facts/controller/rancher.ts";
import { httpDriver } from "./http.ts";

const requestSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  /** The API token, ACCESS:SECRET, which may be secret. */
  token: z.string().min(1),
  /** The cluster's name in Rancher. */
  name: z.string().min(1),
  caCert: z.string().optional(),
  insecure: z.boolean().optional(),
  /** For a call: the id of the cluster that already exists; absent if the call creates the cluster. */
  id: z.string().optional(),
});

type RancherRequest = z.output<typeof requestSchema>;

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
    const before = await lookOrFail(wanted, signal);
    if (before.found ? before.id !== wanted.id : wanted.id !== undefined)
      throw failed(wanted, "the cluster was created or deleted at the same moment", "Rerun the playbook");
    if (!before.found) {
      // With this label, Rancher lists the cluster under Virtualization Management.
      const cluster = { type: "cluster", name: wanted.name, labels: { "provider.cattle.io": "harvester" } };
      await send(wanted, "/v3/clusters", cluster, signal);
    }
    for (let tried = 0; tried < tries; tried += 1) {
      const found = await lookOrFail(wanted, signal);
      if (found.found) {
        if (found.isReady) return found;
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

async function lookOrFail(
  wanted: RancherRequest,
  signal: AbortSignal,
): Promise<Exclude<RancherAnswer, { readonly error: unknown }>> {
  const found = await look(wanted, signal);
  if ("error" in found) throw failed(wanted, found.error.message);
  return found;
}

async function look(wanted: RancherRequest, signal: AbortSignal): Promise<RancherAnswer> {
  const clusters = await get(wanted, `/v3/clusters?name=${encodeURIComponent(wanted.name)}`, signal);
  if ("error" in clusters) return clusters;
  const named = clusters.data.filter(({ name }) => name === wanted.name);
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(", ");
    return { error: { code: "several", message: `it has several clusters with the name ${wanted.name}: ${ids}` } };
  }
  const [cluster] = named;
  if (cluster === undefined) return { found: false };
  const { id, state = "", labels } = cluster;
  if (id === undefined) return { error: { code: "no-id", message: `the cluster ${wanted.name} has no id` } };
  const tokens = await get(wanted, `/v3/clusterregistrationtokens?clusterId=${encodeURIComponent(id)}`, signal);
  if ("error" in tokens) return tokens;
  const registrations = tokens.data.flatMap(({ manifestUrl = "" }) => (manifestUrl === "" ? [] : [manifestUrl]));
  // With such a URL, anyone can register as the cluster in Rancher, so no sink may print it.
  for (const url of registrations) hideCredential(url, "rancher-registration");
  const isHarvester = labels?.["provider.cattle.io"] === "harvester";
  return { found: true, id, state, isHarvester, isReady: registrations.length > 0, registrations };
}

interface Collection {
  readonly data: readonly {
    readonly id?: string;
    readonly name?: string;
    readonly state?: string;
    readonly labels?: Readonly<Record<string, string>> | null;
    readonly manifestUrl?: string;
  }[];
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

function failed(
  { url, name }: RancherRequest,
  current: string,
  hint = "Check the URL and the token, and that the token is allowed to create clusters",
): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `the cluster ${name} cannot be created in Rancher at ${url}`,
    current,
    hint,
  });
}
