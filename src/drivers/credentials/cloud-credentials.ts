import { load } from "js-yaml";
import { z } from "zod";
import type { Driver } from "../../core/host/driver.ts";
import { FurrowError } from "../../core/errors.ts";
import { hideCredential } from "../../core/secrets/secret.ts";
import type { CloudCredential, CloudCredentials } from "../../facts/controller/cloud-credentials.ts";
import { httpDriver } from "../http.ts";
import type { Patience } from "../kubernetes-exchange.ts";
import { obstaclesTo, shortLife } from "./cloud-obstacles.ts";
import { type HttpAnswer, parsed, type Question, requestSchema, requestTo } from "./cloud-request.ts";
import { Side, Unanswered } from "./side.ts";

const name = z.string().min(1);

/**
 * Finds and renews Rancher's cloud credentials for Harvester. They are Secrets in cattle-global-data, each with a
 * kubeconfig whose token is one of Rancher's own (pkg/controllers/management/cloudcredential in rancher/rancher).
 * Kubeconfigs are created and written here, and the driver never returns them.
 */
export const cloudCredentialsDriver: Driver = cloudCredentialsDriverWith({
  requestMs: 30_000,
  deadlineMs: 60_000,
  pauseMs: 1000,
});

/** Returns the driver with different deadlines, for tests. */
export function cloudCredentialsDriverWith(patience: Patience): Driver {
  return {
    name: "cloudCredentials",
    read: async (request, signal): Promise<CloudCredentials> => {
      const question = requestSchema.parse(request);
      try {
        const local = await open(question, patience, signal);
        const found = await look(local, question, signal);
        const obstacle = await obstaclesTo(local, question, found, signal);
        const credentials = Object.fromEntries(Object.entries(found).map(([own, one]) => [own, one.credential]));
        return { credentials, ...(obstacle !== undefined && { obstacle }) };
      } catch (error) {
        if (error instanceof Unanswered) return { error: error.reason };
        throw error;
      }
    },
    call: async (request, signal) => {
      const question = requestSchema.parse(request);
      try {
        const local = await open(question, patience, signal);
        for (const [own, { credential, version }] of Object.entries(await look(local, question, signal)))
          if (credential.due) await renew(local, question, { own, cluster: credential.cluster, version }, signal);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        throw failed("the cloud credentials cannot be renewed", error.message);
      }
    },
  };
}

const namespacePath = "/api/v1/namespaces/cattle-global-data/secrets";
const configKey = "harvestercredentialConfig-kubeconfigContent";
const clusterKey = "harvestercredentialConfig-clusterId";

function open({ kubeconfig }: Question, patience: Patience, signal: AbortSignal): Promise<Side> {
  return Side.open("Rancher's own cluster", kubeconfig, patience, signal);
}

const texts = z.record(z.string(), z.string()).default({});

const secretsSchema = z.array(
  z.looseObject({
    metadata: z.looseObject({ name, resourceVersion: z.string(), annotations: texts }),
    data: texts,
  }),
);

interface Found {
  readonly credential: CloudCredential;
  readonly version: string;
}

async function look(local: Side, question: Question, signal: AbortSignal): Promise<Record<string, Found>> {
  const { names } = question;
  const list = secretsSchema.safeParse(await local.list(namespacePath, "SecretList"));
  if (!list.success) throw local.wrong(namespacePath);
  const own = list.data.filter(({ data }) => (data[configKey] ?? "") !== "");
  const missing = (names ?? []).filter((one) => !own.some(({ metadata }) => metadata.name === one));
  if (missing.length > 0)
    throw new Unanswered("Rancher's own cluster", "no-credential", `it has no credential ${missing.join(", ")}`);
  const found: [string, Found][] = [];
  for (const { metadata, data } of own) {
    if (names !== undefined && !names.includes(metadata.name)) continue;
    const plain = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
    const state = await stateOf(local, plain(configKey), question, signal);
    const credential = {
      shown: metadata.annotations["field.cattle.io/name"] ?? metadata.name,
      cluster: plain(clusterKey),
      ...state,
    };
    found.push([metadata.name, { credential, version: metadata.resourceVersion }]);
  }
  return Object.fromEntries(found);
}

const configSchema = z.looseObject({
  users: z.array(z.looseObject({ user: z.looseObject({ token: z.string().optional() }) })).min(1),
});

/** Rancher's Token (pkg/apis/management.cattle.io/v3 in rancher/rancher). */
const tokenSchema = z.looseObject({
  kind: z.literal("Token"),
  metadata: z.looseObject({ creationTimestamp: z.iso.datetime() }),
  ttl: z.number().default(0),
  expiresAt: z.string().default(""),
  enabled: z.boolean().nullish(),
});

async function stateOf(
  local: Side,
  text: string,
  question: Question,
  signal: AbortSignal,
): Promise<Pick<CloudCredential, "expires" | "state" | "due">> {
  const token = tokenIn(text);
  const [tokenName = "", secret] = token.split(":");
  if (secret === undefined) return { expires: "", state: "its kubeconfig has no Rancher token", due: false };
  const path = `/apis/management.cattle.io/v3/tokens/${encodeURIComponent(tokenName)}`;
  const object = await local.object(path);
  if (object === undefined) return stateByRancher(question, token, signal);
  const { data } = tokenSchema.safeParse(object);
  if (data === undefined) throw local.wrong(path);
  if (data.enabled === false) return { expires: "", state: "its token is disabled", due: true };
  const end = endOf(data);
  if (end === undefined) return { expires: "", state: "its token does not expire", due: false };
  const expires = `${new Date(end).toISOString().slice(0, 19)}Z`;
  if (end <= Date.now()) return { expires, state: `its token expired at ${expires}`, due: true };
  return {
    expires,
    state: `its token expires at ${expires}`,
    due: end - Date.now() < question.renewBeforeSeconds * 1000,
  };
}

/** Some Rancher releases may store tokens elsewhere, so only Rancher itself can tell whether a token is valid. */
async function stateByRancher(question: Question, token: string, signal: AbortSignal) {
  const request = requestTo({ ...question, token }, "/v3/users?me=true");
  const answer = (await httpDriver.read(request, signal)) as HttpAnswer;
  if ("error" in answer) throw new Unanswered("Rancher", "no-answer", answer.error.message);
  if (answer.status === 401) return { expires: "", state: "Rancher no longer accepts its token", due: true };
  if (answer.status === 200) return { expires: "", state: "Rancher accepts its token", due: false };
  throw new Unanswered("Rancher", `HTTP ${answer.status}`, `HTTP ${answer.status} for the token of a credential`);
}

/** The token in a kubeconfig; empty if it has none, or if the text is not a kubeconfig. */
function tokenIn(text: string): string {
  try {
    return configSchema.safeParse(load(text)).data?.users[0]?.user.token ?? "";
  } catch {
    return "";
  }
}

function endOf({ ttl, expiresAt, metadata }: z.output<typeof tokenSchema>): number | undefined {
  const said = Date.parse(expiresAt);
  if (!Number.isNaN(said)) return said;
  return ttl > 0 ? Date.parse(metadata.creationTimestamp) + ttl : undefined;
}

async function renew(
  local: Side,
  question: Question,
  { own, cluster, version }: { readonly own: string; readonly cluster: string; readonly version: string },
  signal: AbortSignal,
): Promise<void> {
  const path = `/v3/clusters/${encodeURIComponent(cluster)}?action=generateKubeconfig`;
  const answer = (await httpDriver.call?.({ ...requestTo(question, path), method: "POST", body: "{}" }, signal)) as {
    readonly body: string;
  };
  const { config } = z
    .looseObject({ config: z.string().default("") })
    .catch({ config: "" })
    .parse(parsed(answer.body));
  const token = tokenIn(config);
  if (token === "") throw failed(`Rancher did not create a kubeconfig with a token for ${cluster}`, "another answer");
  hideCredential(token, "rancher-kubeconfig");
  // If the new kubeconfig were already due for renewal, every run would replace it.
  const made = await stateOf(local, config, question, signal);
  if (made.due)
    throw new FurrowError("E_DRIVER", {
      what: `Rancher created a kubeconfig for ${cluster} that would have to be replaced at once; the credential ${own} is unchanged`,
      current: made.state,
      hint: `${shortLife[0]?.toUpperCase()}${shortLife.slice(1)}`,
    });
  await local.json({
    path: `${namespacePath}/${own}`,
    method: "PATCH",
    // Somebody else may have renewed the credential in the meantime.
    body: { metadata: { resourceVersion: version }, data: { [configKey]: Buffer.from(config).toString("base64") } },
  });
}

function failed(what: string, current: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what,
    current,
    hint: "Check Rancher's URL, the API token, and the kubeconfig of the cluster in which Rancher runs",
  });
}
