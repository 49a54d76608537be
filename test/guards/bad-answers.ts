import { writeFileSync } from "node:fs";
import type { Driver } from "../../src/core/host/driver.ts";
import { kubernetesDriverWith } from "../../src/drivers/kubernetes.ts";
import type { Asked, FakeCluster } from "./fake-cluster.ts";

/**
 * Returns the real driver, with a short deadline if only a deadline ends the query. The other deadlines are never
 * reached, even if the machine takes a minute to answer.
 */
export function driverFor(endsBy?: BadAnswer["endsBy"]): Driver {
  return kubernetesDriverWith({
    requestMs: endsBy === "request" ? 1000 : 300_000,
    deadlineMs: endsBy === "deadline" ? 2000 : 300_000,
    pauseMs: 300,
  });
}

type Instead = (asked: Asked) => boolean;

/** One way in which a query to a cluster gets no valid answer. */
export interface BadAnswer {
  readonly name: string;
  /** A part of the cause that the guard must report. */
  readonly cause: string;
  /** Answers a request in place of the cluster; false if the request gets its normal answer. */
  readonly instead?: Instead;
  /**
   * What the deadline cuts off: a single request without an answer, or a series of requests. Undefined if no deadline
   * is needed.
   */
  readonly endsBy?: "request" | "deadline";
  /** Writes the kubeconfig that the guard uses in place of the valid one. */
  readonly kubeconfig?: (cluster: FakeCluster, prefix: string) => string;
}

const json = { "content-type": "application/json" };

function status(code: number, message: string, headers: Readonly<Record<string, string>> = {}): Instead {
  const body = JSON.stringify({ kind: "Status", status: "Failure", message, code });
  return ({ response }) => {
    response.writeHead(code, { ...json, ...headers }).end(body);
    return true;
  };
}

/**
 * Answers after a tenth of a second. Otherwise, a query that is repeated until a deadline would keep all processors
 * busy.
 */
function unhurried(instead: Instead): Instead {
  return (asked) => {
    setTimeout(() => instead(asked), 100);
    return true;
  };
}

/** Answers with this text. */
export function text(body: string, code = 200): Instead {
  return ({ response }) => {
    response.writeHead(code, json).end(body);
    return true;
  };
}

/** Answers with a changed form of a healthy cluster's answer. */
export function changed(change: (body: Record<string, unknown>, page: number) => object): Instead {
  return ({ response, body, page }) => {
    response.writeHead(200, json).end(JSON.stringify(change(structuredClone(body) as Record<string, unknown>, page)));
    return true;
  };
}

function without(body: Record<string, unknown>, key: string): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== key));
}

/**
 * Answers that never arrive completely, from a missing kubeconfig to a missing last byte. Any query can get such an
 * answer.
 */
export const failures: readonly BadAnswer[] = [
  {
    name: "no kubeconfig",
    cause: "does not exist on the controller",
    kubeconfig: (cluster) => cluster.file("none"),
  },
  {
    name: "a file that is not a kubeconfig",
    cause: "cannot be used as a kubeconfig",
    kubeconfig: (cluster) => {
      writeFileSync(cluster.file("wrong"), "current-context: here\n");
      return cluster.file("wrong");
    },
  },
  {
    name: "no server",
    cause: "ECONNREFUSED",
    kubeconfig: (cluster) => cluster.kubeconfig("", { port: 1 }),
  },
  {
    name: "a server with another CA certificate",
    cause: "certificate",
    kubeconfig: (cluster) => cluster.kubeconfig("", { ca: "other-ca" }),
  },
  { name: "401", cause: "HTTP 401: Unauthorized", instead: status(401, "Unauthorized") },
  { name: "403", cause: "HTTP 403: you may not list", instead: status(403, "you may not list") },
  {
    name: "404 for a kind that is not installed",
    cause: "HTTP 404: 404 page not found",
    instead: text("404 page not found\n", 404),
  },
  { name: "404 from a server in between", cause: "HTTP 404", instead: text("<html>not here</html>", 404) },
  { name: "404 as a status without details", cause: "HTTP 404: nothing", instead: status(404, "nothing") },
  { name: "410", cause: "HTTP 410: expired", instead: status(410, "expired") },
  { name: "429", endsBy: "deadline", cause: "HTTP 429: too many requests", instead: status(429, "too many requests") },
  {
    name: "429 with a pause that is too long",
    cause: "HTTP 429: slowly",
    instead: status(429, "slowly", { "retry-after": "3600" }),
  },
  { name: "500", cause: "HTTP 500: etcd", instead: status(500, "etcd") },
  { name: "502 from a server in between", cause: "HTTP 502", instead: text("<html>bad gateway</html>", 502) },
  { name: "503", endsBy: "deadline", cause: "HTTP 503: starting", instead: status(503, "starting") },
  {
    name: "503 with a pause",
    endsBy: "deadline",
    cause: "HTTP 503: starting",
    instead: unhurried(status(503, "starting", { "retry-after": "0" })),
  },
  { name: "302", cause: "HTTP 302", instead: status(302, "elsewhere", { location: "https://elsewhere/" }) },
  { name: "204", cause: "HTTP 204", instead: text("", 204) },
  { name: "no answer", endsBy: "request", cause: "no complete answer within", instead: () => true },
  {
    name: "an answer that stops",
    endsBy: "request",
    cause: "no complete answer within",
    instead: ({ response }) => {
      response.writeHead(200, json).write('{"kind":');
      return true;
    },
  },
  {
    name: "an answer that ends early",
    cause: "the response ended early",
    instead: ({ response, body }) => {
      const all = JSON.stringify(body);
      response.writeHead(200, { ...json, "content-length": String(all.length + 10) });
      response.write(all, () => response.socket?.destroy());
      return true;
    },
  },
  {
    name: "half of an answer of unknown length",
    cause: "the answer is not",
    instead: ({ response, body }) => {
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
      response.writeHead(200, json).end(JSON.stringify(body).slice(0, -4));
      return true;
    },
  },
  {
    name: "a connection that closes",
    cause: "hang up",
    instead: ({ request }) => {
      request.socket.destroy();
      return true;
    },
  },
  { name: "an empty answer", cause: "the answer is not", instead: text("") },
  { name: "a page from another server", cause: "the answer is not", instead: text("<html>log in</html>") },
  { name: "null", cause: "the answer is not", instead: text("null") },
];

/** Lists that are incomplete, and answers that are not lists. */
export const badLists: readonly BadAnswer[] = [
  { name: "an object", cause: "not a Kubernetes list", instead: changed(() => ({ kind: "Node", metadata: {} })) },
  {
    name: "a list without apiVersion",
    cause: "the answer is not a Kubernetes list: it has no apiVersion",
    instead: changed((body) => without(body, "apiVersion")),
  },
  {
    name: "a list without kind",
    cause: "the answer is not a Kubernetes list: it has no kind",
    instead: changed((body) => without(body, "kind")),
  },
  {
    name: "a list with the field items twice",
    cause: "the answer is not a Kubernetes list: it contains the key items twice",
    instead: ({ response, body }) => {
      response.writeHead(200, json).end(JSON.stringify(body).replace(/\}$/, ',"items":[]}'));
      return true;
    },
  },
  { name: "a list without items", cause: "items", instead: changed((body) => without(body, "items")) },
  { name: "a list with null for items", cause: "items", instead: changed((body) => ({ ...body, items: null })) },
  { name: "a list without metadata", cause: "metadata", instead: changed((body) => without(body, "metadata")) },
  {
    name: "a list of another kind",
    cause: "the answer is a SecretList",
    instead: changed((body) => ({ ...body, metadata: {}, kind: "SecretList" })),
  },
  {
    name: "half a list that does not say where it continues",
    cause: "only part of the list arrived: it ended after 0 objects, but the server has 7 more",
    instead: changed((body) => ({ ...body, metadata: { remainingItemCount: 7 }, items: [] })),
  },
  {
    name: "a list that continues with the same page again and again",
    cause: "the server sent the same page twice",
    instead: changed((body) => ({ ...body, metadata: { continue: "page-1" } })),
  },
  {
    name: "a list that does not end",
    cause: "no complete answer within",
    endsBy: "deadline",
    instead: unhurried(changed((body, page) => ({ ...body, metadata: { continue: `page-${page + 1}` } }))),
  },
  ...([403, 410, 503] as const).map((code) => ({
    name: `a list whose second page is a ${code}`,
    cause: `HTTP ${code}: no second page`,
    instead: (asked: Asked) =>
      asked.page === 0
        ? changed((body) => ({ ...body, metadata: { continue: "page-1" } }))(asked)
        : status(code, "no second page", { "retry-after": "3600" })(asked),
  })),
  {
    name: "a list that contains an object twice",
    cause: "twice",
    instead: changed((body) => {
      const [first] = body["items"] as object[];
      return { ...body, metadata: {}, items: [first, first] };
    }),
  },
  {
    name: "a list with something that is not an object",
    cause: "is not an object",
    instead: changed((body) => ({ ...body, metadata: {}, items: ["x"] })),
  },
];

/** Answers to a query for one object that describe something else. */
export const badSingles: readonly BadAnswer[] = [
  {
    name: "an object with another name",
    cause: "metadata.name",
    instead: changed((body) => ({ ...body, metadata: { name: "other" } })),
  },
  { name: "an object of another kind", cause: "kind", instead: changed((body) => ({ ...body, kind: "Pod" })) },
  {
    name: "an object with a field twice",
    cause: "the answer is not a Kubernetes object: it contains the key kind twice",
    instead: ({ response, body }) => {
      response.writeHead(200, json).end(JSON.stringify({ kind: "Node", ...body }).replace(/\}$/, ',"kind":"Pod"}'));
      return true;
    },
  },
  { name: "an object without a name", cause: "metadata", instead: changed((body) => without(body, "metadata")) },
  {
    name: "a 404 about another object",
    cause: "HTTP 404",
    instead: text(JSON.stringify({ kind: "Status", reason: "NotFound", details: { name: "other" } }), 404),
  },
];
