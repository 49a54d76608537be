import { z } from "zod";
import type { KubeSeen, KubeSeenQuestion } from "../../facts/controller/kube-seen.ts";
import type { Credential } from "../kubeconfig/exec-credential.ts";
import type { ClusterAccess } from "../kubeconfig/kubeconfig.ts";
import { NoAnswer, parsed, sendRequest } from "../kubernetes-exchange.ts";
import type { Cluster } from "./cluster.ts";
import { findResource, pathOf } from "./discovery.ts";

const listSchema = z.looseObject({
  kind: z.string().endsWith("List"),
  metadata: z.looseObject({ resourceVersion: z.string().min(1) }),
  items: z.array(z.unknown()),
});

/**
 * Resolves when an object may have changed since it was `seen`: the API reports its next change (Kubernetes API
 * concepts, "Efficient detection of changes"). Throws if the server does not let the user watch the kind, no longer has
 * the object's version, or ends the response without a change.
 */
export async function changeOf(cluster: Cluster, question: KubeSeenQuestion, seen: KubeSeen): Promise<void> {
  const { apiVersion, kind, name, namespace } = question;
  const resource = await findResource(cluster, apiVersion, kind);
  if (resource?.verbs.includes("watch") !== true) throw new NoAnswer("no-watch", `${kind} cannot be watched`);
  const path = `${pathOf(apiVersion, resource, undefined, namespace)}?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const since = seen.exists ? seen.version : await versionWithout(cluster, path, kind);
  if (since === undefined) return;
  const answer = await cluster.connect(
    (access, credential, signal) =>
      firstEvent(access, credential, `${path}&watch=true&resourceVersion=${encodeURIComponent(since)}`, signal),
    ({ status }) => status === 401,
  );
  if (answer.event === undefined || answer.event === "ERROR")
    throw new NoAnswer("no-event", `the server reported no change (HTTP ${answer.status})`);
}

/** The version of a list without the object; undefined if the list contains the object. */
async function versionWithout(cluster: Cluster, path: string, kind: string): Promise<string | undefined> {
  const list = listSchema.safeParse(parsed((await cluster.ask({ path }, `watch ${kind}`)).body));
  if (!list.success) throw new NoAnswer("not-a-list", "the answer is not a Kubernetes list");
  return list.data.items.length > 0 ? undefined : list.data.metadata.resourceVersion;
}

/**
 * Milliseconds within which the response must begin. The API server begins it at once; a proxy that buffers whole
 * responses would begin it only when the watch ends.
 */
const beginMs = 2000;

interface Watched {
  readonly status: number;
  /** The type of the first event: ADDED, MODIFIED, DELETED or ERROR; undefined if the response ended without one. */
  readonly event: string | undefined;
}

function firstEvent(
  access: ClusterAccess,
  credential: Credential,
  path: string,
  signal: AbortSignal,
): Promise<Watched> {
  return new Promise((settle, fail) => {
    const sent = sendRequest(access, credential, { path }, signal);
    const late = new NoAnswer("timeout", "the response did not begin");
    const timer = setTimeout(() => sent.destroy(late), beginMs);
    sent.on("error", fail).on("close", () => clearTimeout(timer));
    sent.on("response", (response) => {
      clearTimeout(timer);
      const status = response.statusCode ?? 0;
      let text = "";
      const end = (event?: string): void => {
        settle({ status, event });
        sent.destroy();
      };
      if (status !== 200) {
        end();
        return;
      }
      response.on("error", fail).on("end", () => end());
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        // The type comes first: the object itself need not arrive completely.
        const [, type] = /^\s*\{"type":"([A-Z]+)"/.exec(text) ?? [];
        if (type !== undefined) end(type);
        else if (text.length > 200) end();
      });
    });
  });
}
