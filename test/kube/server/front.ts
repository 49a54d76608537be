/**
 * `node front.ts FOLDER CORE CUSTOM`: combines two API servers into one. CORE (a URL) serves the built-in kinds, CUSTOM
 * the definitions of kinds and their objects. It is a separate process, because a test's own process is blocked while
 * it waits for kubectl. Prints its URL once it is listening.
 *
 * It authenticates users by their certificates and names them in headers, as the API aggregation layer does
 * (https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/); tokens are passed on.
 */
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";

const [folder = "", core = "", custom = ""] = process.argv.slice(2);
const file = (name: string): Buffer => readFileSync(join(folder, name));
const ca = file("ca.crt");
/** Connections for requests whose headers name the user, and for requests without a user's certificate. */
const naming = new Agent({ ca, key: file("front.key"), cert: file("front.crt"), keepAlive: true });
const anonymous = new Agent({ ca, keepAlive: true });

const definitions = "/apis/apiextensions.k8s.io";

interface Group {
  readonly name: string;
}

/** A list of groups, as a server's `/apis` shows it. */
interface Groups {
  readonly groups: readonly Group[];
}

const builtIn = new Set(
  ((await json(core, "/apis")) as Groups).groups.map(({ name }) => name).filter((name) => !definitions.endsWith(name)),
);

/** The server that answers requests for a path. */
function serverOf(path: string): string {
  const group = /^\/apis\/([^/?]+)/.exec(path)?.[1];
  return group === undefined || builtIn.has(group) ? core : custom;
}

/** The user, in the headers of the aggregation layer; undefined without a certificate of the CA. */
function userHeaders(socket: TLSSocket): IncomingHttpHeaders | undefined {
  if (!socket.authorized) return undefined;
  const { CN, O } = socket.getPeerCertificate().subject;
  // A user's certificate might not name any group.
  return { "x-remote-user": CN, ...(O !== undefined && { "x-remote-group": O }) };
}

function pass(asked: IncomingMessage, answer: ServerResponse): void {
  const user = userHeaders(asked.socket as TLSSocket);
  const headers = { ...asked.headers, ...user };
  delete headers.host;
  const agent = user === undefined ? anonymous : naming;
  const path = asked.url ?? "/";
  const onward = request(`${serverOf(path)}${path}`, { agent, method: asked.method, headers }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    // The headers tell a client that its watch has begun.
    answer.flushHeaders();
    got.pipe(answer);
    got.on("error", () => answer.destroy());
  });
  onward.on("error", () => answer.destroy());
  // The watch ends when its client disconnects.
  answer.on("close", () => onward.destroy());
  asked.pipe(onward);
}

/** Reads as an administrator. */
function json(server: string, path: string): Promise<unknown> {
  const headers = { "x-remote-user": "front", "x-remote-group": "system:masters" };
  return new Promise((resolve, reject) => {
    const asked = request(`${server}${path}`, { agent: naming, headers }, (got) => {
      let text = "";
      got.setEncoding("utf8").on("data", (part: string) => (text += part));
      got.on("end", () => resolve(JSON.parse(text)));
    });
    asked.on("error", reject).end();
  });
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The API groups of the custom kinds, which their server does not list. */
async function customGroups(): Promise<object[]> {
  const { items } = (await json(custom, `${definitions}/v1/customresourcedefinitions`)) as {
    readonly items: readonly Definition[];
  };
  const established = items.filter(({ status }) =>
    status?.conditions?.some(({ type, status: state }) => type === "Established" && state === "True"),
  );
  const versions = new Map<string, Set<string>>([["apiextensions.k8s.io", new Set(["v1"])]]);
  for (const { spec } of established) {
    const known = versions.get(spec.group) ?? new Set();
    versions.set(spec.group, known);
    for (const { name, served } of spec.versions) if (served) known.add(name);
  }
  return [...versions].map(([name, known]) => {
    const all = [...known].map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: all, preferredVersion: all[0] };
  });
}

/** `/apis` of both servers in one list. */
async function groupList(answer: ServerResponse): Promise<void> {
  const { groups, ...rest } = (await json(core, "/apis")) as Groups;
  const own = groups.filter(({ name }) => builtIn.has(name));
  const body = JSON.stringify({ ...rest, groups: [...own, ...(await customGroups())] });
  answer.writeHead(200, { "content-type": "application/json" }).end(body);
}

const server = createServer({
  key: file("server.key"),
  cert: file("server.crt"),
  ca,
  requestCert: true,
  rejectUnauthorized: false,
});
// A real server uses the same timeout. Node's default of five seconds is shorter than the time that a test's process
// can spend waiting for kubectl.
server.keepAliveTimeout = 90_000;
server.on("request", (asked: IncomingMessage, answer: ServerResponse) => {
  if (!/^\/apis\/?(\?|$)/.test(asked.url ?? "")) return pass(asked, answer);
  groupList(answer).catch(() => answer.destroy());
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`https://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
