import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterLists, type ListName } from "../../roles/cluster-answers/answers.ts";
import { withApiVersion } from "../kube/server/list-version.ts";
import { type Objects, singleOf } from "./examples.ts";

/** A request to the fake cluster, and the answer of a healthy cluster. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /**
   * The part of the path that precedes the API path; each kubeconfig can have its own prefix and therefore get
   * different answers.
   */
  readonly prefix: string;
  /** The path without the prefix and the query. */
  readonly path: string;
  /** The requested page; 0 is the first. */
  readonly page: number;
  readonly status: number;
  readonly body: object;
}

/** The number of objects in a page, small enough that every list with more than one object has several pages. */
const mostPerPage = 2;

/** An HTTPS server that answers like a cluster's Kubernetes API, with paging and client certificates. */
export class FakeCluster {
  /** The objects that the cluster has. */
  objects: Objects;
  /** Answers a request in place of the cluster; false leaves the request to the cluster. */
  instead: (asked: Asked) => boolean = () => false;
  /** The requests so far: METHOD PATH. */
  readonly asked: string[] = [];
  readonly #folder: string;
  readonly #server: Server;
  #written = 0;

  private constructor(objects: Objects, folder: string) {
    this.objects = objects;
    this.#folder = folder;
    const read = (name: string): Buffer => readFileSync(join(folder, name));
    const tls = { key: read("server.key"), cert: read("server.crt"), ca: read("ca.crt"), requestCert: true };
    this.#server = createServer(tls, (request, response) => this.#answer(request, response));
  }

  static async up(objects: Objects): Promise<FakeCluster> {
    const folder = mkdtempSync(join(tmpdir(), "furrow-fake-cluster-"));
    makeCertificates(folder);
    const cluster = new FakeCluster(objects, folder);
    await new Promise<void>((resolve) => {
      cluster.#server.listen(0, "127.0.0.1", resolve);
    });
    return cluster;
  }

  down(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** The path of a file in the folder of the kubeconfigs. */
  file(name: string): string {
    return join(this.#folder, name);
  }

  /** The cluster's CA certificate. */
  get authority(): string {
    return readFileSync(this.file("ca.crt"), "utf8");
  }

  /**
   * Writes a kubeconfig and returns its path. Requests made with it have the prefix. The other params replace its valid
   * parts.
   */
  kubeconfig(
    prefix = "",
    { port, ca = "ca", client = "client" }: { port?: number; ca?: string; client?: string } = {},
  ): string {
    const data = (file: string): string => readFileSync(this.file(file)).toString("base64");
    const server = `https://127.0.0.1:${port ?? (this.#server.address() as AddressInfo).port}${prefix}`;
    const cluster = { server, "certificate-authority-data": data(`${ca}.crt`), "tls-server-name": "kubernetes" };
    const user = { "client-certificate-data": data(`${client}.crt`), "client-key-data": data(`${client}.key`) };
    const config = {
      "current-context": "here",
      contexts: [{ name: "here", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user }],
    };
    const name = this.file(`kubeconfig-${(this.#written += 1)}`);
    writeFileSync(name, JSON.stringify(config));
    return name;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "https://kubernetes");
    const [, prefix = "", path = ""] = /^(\/\d+)?(\/.*)$/.exec(url.pathname) ?? [];
    url.pathname = path;
    this.asked.push(`${request.method} ${path}`);
    const page = Number(url.searchParams.get("continue")?.slice("page-".length) ?? 0);
    const asked = { request, response, prefix, path, page, ...this.#sound(url, page) };
    if (this.instead(asked)) return;
    response.writeHead(asked.status, { "content-type": "application/json" }).end(JSON.stringify(asked.body));
  }

  #sound(url: URL, page: number): { readonly status: number; readonly body: object } {
    const list = (Object.keys(clusterLists) as ListName[]).find((name) => clusterLists[name].path === url.pathname);
    if (list !== undefined) {
      const size = Math.min(mostPerPage, Number(url.searchParams.get("limit") ?? mostPerPage));
      const left = this.objects[list].slice(page * size);
      const rest = left.length - size;
      const metadata = {
        resourceVersion: "1",
        ...(rest > 0 && { continue: `page-${page + 1}`, remainingItemCount: rest }),
      };
      const kind = `${clusterLists[list].kind}List`;
      return { status: 200, body: withApiVersion(url.pathname, { kind, metadata, items: left.slice(0, size) }) };
    }
    const name = url.pathname.split("/").at(-1) ?? "";
    const single = singleOf(url.pathname);
    if (single !== undefined) return { status: 200, body: single };
    const node = this.objects.nodes.find((one) => (one as { metadata: { name: string } }).metadata.name === name);
    if (node !== undefined) return { status: 200, body: { kind: "Node", ...node } };
    return { status: 404, body: notFound(name) };
  }
}

/** The API's answer for an object that does not exist. */
export function notFound(name: string): object {
  return {
    kind: "Status",
    status: "Failure",
    reason: "NotFound",
    message: `"${name}" not found`,
    details: { name },
    code: 404,
  };
}

/**
 * Creates a certificate authority with a server and a client, and another authority with a client that the server does
 * not trust.
 */
function makeCertificates(folder: string): void {
  const openssl = (...argv: string[]): unknown => execFileSync("openssl", argv, { cwd: folder, stdio: "ignore" });
  const made = ["-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  for (const ca of ["ca", "other-ca"])
    openssl("req", "-x509", ...made, "-keyout", `${ca}.key`, "-out", `${ca}.crt`, "-subj", `/CN=${ca}`);
  for (const [name, ca, extra] of [
    ["server", "ca", ["-addext", "subjectAltName=DNS:kubernetes"]],
    ["client", "ca", []],
    ["other-client", "other-ca", []],
  ] as const) {
    openssl("req", ...made, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`, ...extra);
    const signed = `x509 -req -in ${name}.csr -CA ${ca}.crt -CAkey ${ca}.key -CAcreateserial -days 2 -copy_extensions copy`;
    openssl(...signed.split(" "), "-out", `${name}.crt`);
  }
}
