import { z } from "zod";
import type { Driver } from "../core/host/driver.ts";
import { FurrowError } from "../core/errors.ts";
import { certificateDigest } from "../core/host/certificate-digest.ts";
import { otherKubeconfigHint } from "../facts/controller/kubeconfig-file.ts";
import type { KubernetesAnswer, KubernetesListAnswer, KubernetesTrial } from "../facts/controller/kubernetes.ts";
import { type ClusterAccess, readKubeconfig } from "./kubeconfig/kubeconfig.ts";
import { changeObject, isAboutObjects, objectChanged, readObjects } from "./kube/driver.ts";
import { denialOf, hintOf, isUnasked, problemOf } from "./kube/failures.ts";
import { type ApiAnswer, Conversation, messageOf, NoAnswer, type Patience, parsed } from "./kubernetes-exchange.ts";
import { withSeals } from "./api-message/sealed-fields.ts";
import { readList } from "./kubernetes-list.ts";
import { repeatedKey } from "./kube/repeated-key.ts";

const requestSchema = z.strictObject({
  /** The kubeconfig on the controller; a relative path is resolved against furrow's working directory. */
  kubeconfig: z.string().min(1),
  /** The digest of the CA certificate that the kubeconfig must contain at the moment it is used. */
  authority: z.string().optional(),
  /** The path in the API: `/api/v1/nodes/harvester-1`. */
  path: z.string().startsWith("/"),
  /** True for the path of a list, of which all pages are then read. */
  list: z.literal(true).optional(),
  /** True for the path of a document that is not a Kubernetes object, such as a kubelet's statistics. */
  document: z.literal(true).optional(),
  /**
   * Fields of the object whose values are secret. The answer contains a keyed hash of each that is not empty.
   * `field.key` means a key of the JSON object that the field contains as text.
   */
  sealed: z.array(z.string().min(1)).optional(),
  /**
   * If given, the request only asks whether the API would accept this method and body; nothing changes. The value is
   * the object's name in messages.
   */
  tried: z.string().min(1).optional(),
  method: z.enum(["POST", "PATCH", "PUT", "DELETE"]).optional(),
  /** The body, sent as JSON; its strings may contain secrets. */
  body: z.json().optional(),
});

type KubernetesRequest = z.output<typeof requestSchema>;

/**
 * Queries a cluster's Kubernetes API, and makes changes through it, with a kubeconfig on the controller. A request
 * contains either a path in the API, to which PATCH sends a merge patch (RFC 7386), or an object to apply or delete.
 */
export const kubernetesDriver: Driver = kubernetesDriverWith({
  requestMs: 30_000,
  deadlineMs: 60_000,
  pauseMs: 1000,
});

/** Returns the driver with different deadlines, for tests of a cluster that does not respond. */
export function kubernetesDriverWith(patience: Patience): Driver {
  return {
    name: "kubernetes",
    read: async (request, signal): Promise<unknown> =>
      isAboutObjects(request) ? readObjects(request, patience, signal) : readPath(request, patience, signal),
    changed: (request, found, signal) => objectChanged(request, found, patience, signal),
    call: async (request, signal, say): Promise<unknown> => {
      if (isAboutObjects(request)) return changeObject(request, patience, signal, say);
      const { kubeconfig, authority, ...wanted } = requestSchema.parse(request);
      const access = await readKubeconfig(kubeconfig);
      if (!access) throw failed(wanted, missing(kubeconfig));
      const other = otherCluster(kubeconfig, access, authority);
      if (other !== undefined) throw failed(wanted, other, otherKubeconfigHint);
      const { status, body } = await new Conversation(access, patience, signal).ask(wanted).catch((error: unknown) => {
        throw error instanceof NoAnswer ? failed(wanted, error.message) : error;
      });
      // If the object to delete does not exist, the deletion is treated as done.
      if (wanted.method === "DELETE" && isNotFound(wanted.path, { status, body })) return undefined;
      if (status < 200 || status > 299)
        throw failed(wanted, `HTTP ${status}: ${messageOf(body)}`, hintOf(`HTTP ${status}`));
      return body === "" ? undefined : (JSON.parse(body) as unknown);
    },
  };
}

async function readPath(
  request: unknown,
  patience: Patience,
  signal: AbortSignal,
): Promise<KubernetesAnswer | KubernetesListAnswer | KubernetesTrial> {
  const { kubeconfig, authority, path, list, document, sealed = [], tried, ...sent } = requestSchema.parse(request);
  const access = await readKubeconfig(kubeconfig);
  if (!access) return { error: { code: "no-kubeconfig", message: missing(kubeconfig) } };
  const other = otherCluster(kubeconfig, access, authority);
  if (other !== undefined) return { error: { code: "other-kubeconfig", message: other } };
  const conversation = new Conversation(access, patience, signal);
  try {
    if (tried !== undefined) return trialOf(tried, await conversation.ask({ ...sent, path: `${path}?dryRun=All` }));
    if (list) return await readList(path, (page) => conversation.ask({ path: page }));
    return withSeals(
      readObject(path, await conversation.ask({ path }), document ? documentSchema : objectSchema),
      sealed,
    );
  } catch (error) {
    if (error instanceof NoAnswer) return { error: { code: error.code, message: error.message } };
    throw error;
  }
}

function trialOf(name: string, answer: ApiAnswer): KubernetesTrial {
  const { status, body } = answer;
  if (status >= 200 && status <= 299) return { accepted: true };
  if (isUnasked(answer)) return { unasked: messageOf(body) };
  const refused = denialOf(answer, name) ?? problemOf(answer, name);
  return refused === undefined ? { error: { code: `HTTP ${status}`, message: messageOf(body) } } : { refused };
}

const objectSchema = z.looseObject({ kind: z.string().min(1) });

/** A kubelet's responses have no kind. */
const documentSchema = z.looseObject({});

function readObject(
  path: string,
  answer: ApiAnswer,
  schema: typeof objectSchema | typeof documentSchema,
): KubernetesAnswer {
  const { status, body } = answer;
  if (isNotFound(path, answer)) return { found: false };
  if (status !== 200) return { error: { code: `HTTP ${status}`, message: messageOf(body) } };
  const object = schema.safeParse(parsed(body));
  const twice = object.success ? repeatedKey(body) : undefined;
  if (object.success && twice === undefined) return { found: true, object: object.data };
  const why = twice === undefined ? "" : `: it contains the key ${twice} twice`;
  return { error: { code: "not-an-object", message: `the answer is not a Kubernetes object${why}` } };
}

const notFoundSchema = z.looseObject({
  kind: z.literal("Status"),
  reason: z.literal("NotFound"),
  details: z.looseObject({ name: z.string() }),
});

/**
 * True if the API reports that no object has this name. Other servers return 404 too, and so does the API for a kind
 * that it does not know; neither proves anything about the object.
 */
function isNotFound(path: string, { status, body }: ApiAnswer): boolean {
  if (status !== 404) return false;
  const answer = notFoundSchema.safeParse(parsed(body));
  return answer.success && answer.data.details.name === decodeURIComponent(path.split("/").at(-1) ?? "");
}

function missing(kubeconfig: string): string {
  return `the kubeconfig ${kubeconfig} does not exist on the controller`;
}

/**
 * Why a kubeconfig must not be used for the cluster with this CA certificate; undefined if it can be used. The file may
 * have been replaced since an earlier request.
 */
function otherCluster(
  kubeconfig: string,
  { server, ca, insecure }: ClusterAccess,
  authority: string | undefined,
): string | undefined {
  if (authority === undefined) return undefined;
  const own = ca === undefined || insecure ? undefined : certificateDigest(ca.toString("latin1"));
  if (own !== undefined && own === authority) return undefined;
  const has = own === undefined ? "does not verify the server's certificate" : `has the authority ${own.slice(0, 16)}`;
  const wanted = authority === "" ? "the cluster's authority is not known" : `not ${authority.slice(0, 16)}`;
  return `the kubeconfig ${kubeconfig} is for another cluster, at ${server}: it ${has}, ${wanted}`;
}

function failed(
  { method, path }: Pick<KubernetesRequest, "method" | "path">,
  current: string,
  hint = "Check whether the cluster answers: furrow run playbooks/harvester-status.ts",
): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `${method ?? "GET"} ${path} failed`,
    current,
    hint,
  });
}
