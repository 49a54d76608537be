import { z } from "zod";
import type { KubernetesListAnswer } from "../facts/controller/kubernetes.ts";
import { type ApiAnswer, messageOf, parsed } from "./kubernetes-exchange.ts";
import { repeatedKey } from "./kube/repeated-key.ts";

/** Objects per page. */
const pageSize = 500;
/** The maximum number of restarts while reading a list: it restarts if the server drops the state of earlier pages. */
const mostRestarts = 2;
/** The maximum number of objects in a list: far more than any cluster has of a kind that playbooks query. */
const mostObjects = 100_000;

/** Every list of the API has these fields, in every page. */
const pageSchema = z.looseObject({
  kind: z.string().endsWith("List", "not a list"),
  apiVersion: z.string().min(1),
  metadata: z.looseObject({ continue: z.string().optional(), remainingItemCount: z.number().optional() }),
  items: z.array(z.unknown()),
});

/** How a list is read. */
interface Reading {
  /** If more than this number of objects follow a page, the list is not read to its end. */
  readonly mostLeft?: number;
  /**
   * True to accept objects that contain a key twice, for callers that only compare them with their own object.
   * Searching for such keys takes longer than parsing.
   */
  readonly repeats?: true;
}

/**
 * Reads all pages of a list. Returns an error instead of the objects if any page is missing: an incomplete list is
 * never returned.
 */
export async function readList(
  path: string,
  ask: (path: string) => Promise<ApiAnswer>,
  { mostLeft = mostObjects, repeats }: Reading = {},
): Promise<KubernetesListAnswer> {
  const items: unknown[] = [];
  const tokens = new Set<string>();
  let token: string | undefined;
  let restarts = 0;
  for (;;) {
    const answer = await ask(pagePath(path, token));
    // The server no longer has the state of the list that the earlier pages show.
    if (answer.status === 410 && token !== undefined && restarts < mostRestarts) {
      restarts += 1;
      items.length = 0;
      tokens.clear();
      token = undefined;
      continue;
    }
    const page = readPage(answer, repeats);
    if ("error" in page) return page;
    const { kind, apiVersion, metadata } = page.page;
    const asked = apiVersionOf(path);
    if (asked !== undefined && apiVersion !== asked) {
      const message = `the answer is a list of something else: its apiVersion is ${apiVersion}, not ${asked}`;
      return { error: { code: "not-a-list", message } };
    }
    for (const item of page.page.items) items.push(item);
    const left = metadata.remainingItemCount ?? 0;
    if (items.length > mostObjects) return half(`it did not end after ${mostObjects} objects`);
    if (left > mostLeft) return half(`after ${items.length} objects, more than ${mostLeft} are left`);
    token = metadata.continue;
    if (token === undefined || token === "") {
      return left > 0
        ? half(`it ended after ${items.length} objects, but the server has ${left} more`)
        : { complete: true, kind, items };
    }
    if (tokens.has(token)) return half(`after ${items.length} objects, the server sent the same page twice`);
    tokens.add(token);
  }
}

/**
 * The apiVersion of the lists at a path: `v1` at /api/v1/…, `GROUP/VERSION` at /apis/…; undefined for any other path.
 */
function apiVersionOf(path: string): string | undefined {
  return /^\/?(?:api\/(v[^/]+)|apis\/([^/]+\/[^/]+))\//
    .exec(path)
    ?.slice(1)
    .find((part) => part !== undefined);
}

function pagePath(path: string, token: string | undefined): string {
  const query = token === undefined ? "" : `&continue=${encodeURIComponent(token)}`;
  return `${path}${path.includes("?") ? "&" : "?"}limit=${pageSize}${query}`;
}

type Failed = Extract<KubernetesListAnswer, { error: unknown }>;

function readPage(
  { status, body }: ApiAnswer,
  repeats: true | undefined,
): { readonly page: z.output<typeof pageSchema> } | Failed {
  if (status !== 200) return { error: { code: `HTTP ${status}`, message: messageOf(body) || "an empty answer" } };
  const json = parsed(body);
  if (json === undefined) return { error: { code: "not-json", message: "the answer is not JSON" } };
  const page = pageSchema.safeParse(json);
  if (!page.success) return notAList(problemOf(page.error));
  const twice = repeats ? undefined : repeatedKey(body);
  return twice === undefined ? { page: page.data } : notAList(`it contains the key ${twice} twice`);
}

/** Names the field that is missing or wrong. */
function problemOf({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.join(".") || "its content";
  if (issue?.message.endsWith("received undefined")) return `it has no ${field}`;
  return `${field}: ${issue?.message ?? "wrong"}`;
}

function notAList(why: string): Failed {
  return { error: { code: "not-a-list", message: `the answer is not a Kubernetes list: ${why}` } };
}

function half(message: string): Failed {
  return { error: { code: "half-list", message: `only part of the list arrived: ${message}` } };
}
