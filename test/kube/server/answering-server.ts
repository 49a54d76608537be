import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Driver } from "../../../src/core/host/driver.ts";
import type { Json } from "../../../src/core/facts/fact.ts";
import { kubernetesDriverWith } from "../../../src/drivers/kubernetes.ts";
import { kubeconfigText, makeCertificates } from "./certificates.ts";
import type { KubeletStandIn } from "./kubelet-stand-in.ts";
import { withApiVersion } from "./list-version.ts";

/** A response; with status 0 the server sends nothing. */
export interface Said {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that sends the responses that a test specifies, and the driver that queries it. */
export class AnsweringServer {
  /** The responses to `METHOD PATH`, in turn; the last one is repeated. Any other request gets the response 404. */
  said: Record<string, Said[]> = {};
  /** The requests so far: method, path with query, type and body. */
  readonly seen: string[] = [];
  /** Who sent each of these requests: `token TOKEN`, or the name in the certificate. */
  readonly users: string[] = [];
  readonly folder: string = mkdtempSync(join(tmpdir(), "furrow-kube-answers-"));
  readonly kubeconfig: string = join(this.folder, "kubeconfig");
  readonly #driver: Driver = kubernetesDriverWith({ requestMs: 1500, deadlineMs: 3000, pauseMs: 10 });
  readonly #signal = new AbortController().signal;
  #server: Server | undefined;

  async up(): Promise<void> {
    makeCertificates(this.folder, { admin: "/CN=admin" });
    const file = (name: string): Buffer => readFileSync(join(this.folder, name));
    const certificates = { key: file("server.key"), cert: file("server.crt"), ca: file("ca.crt") };
    const tls = { ...certificates, requestCert: true, rejectUnauthorized: false };
    const server = createServer(tls, (asked, answer) => {
      let body = "";
      asked.on("data", (part: Buffer) => (body += part.toString()));
      asked.on("end", () => {
        const [path = ""] = (asked.url ?? "").split("?");
        const list = this.said[`${asked.method} ${path}`];
        this.seen.push(`${asked.method} ${asked.url} ${asked.headers["content-type"] ?? ""} ${body}`.trim());
        this.users.push(userOf(asked));
        const next = list !== undefined && list.length > 1 ? list.shift() : list?.[0];
        if (next === undefined) return void answer.writeHead(404).end("404 page not found\n");
        if (next.status === 0) return;
        const text = typeof next.body === "string" ? next.body : JSON.stringify(withApiVersion(path, next.body));
        answer.writeHead(next.status, next.headers).end(text);
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    writeFileSync(this.kubeconfig, kubeconfigText(this.folder, "admin", `https://127.0.0.1:${port}`));
  }

  /** Lets a stand-in run the commands that are sent to pods. */
  attach(kubelet: KubeletStandIn): void {
    if (this.#server !== undefined) kubelet.attach(this.#server);
  }

  down(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
    rmSync(this.folder, { recursive: true });
  }

  /** Forgets all requests and responses, except the list of kinds. */
  reset(): void {
    this.seen.length = 0;
    this.users.length = 0;
    this.said = { "GET /api/v1": [kinds], "GET /api": [versions] };
  }

  /** The value of a fact, as the driver reads it. */
  read({ request }: { readonly request: Json }): Promise<unknown> {
    return this.#driver.read(request, this.#signal);
  }

  /** Performs a call step. Returns its progress messages. */
  async call({ request }: { readonly request: Json }): Promise<readonly string[]> {
    const said: string[] = [];
    await this.#driver.call?.(request, this.#signal, (text) => said.push(text));
    return said;
  }
}

function userOf({ headers, socket }: IncomingMessage): string {
  const { authorization } = headers;
  if (authorization !== undefined) return authorization.replace(/^Bearer /, "token ");
  return String((socket as TLSSocket).getPeerCertificate().subject?.CN ?? "nobody");
}

/** An API with the core group, whose name is empty. */
export const versions: Said = { status: 200, body: { kind: "APIVersions", versions: ["v1"] } };

const kinds: Said = {
  status: 200,
  body: {
    kind: "APIResourceList",
    resources: [
      { name: "configmaps", kind: "ConfigMap", namespaced: true, verbs: ["delete", "list"] },
      { name: "configmaps/status", kind: "ConfigMap", namespaced: true },
      { name: "namespaces", kind: "Namespace", namespaced: false },
      { name: "secrets", kind: "Secret", namespaced: true, verbs: ["delete", "list"] },
    ],
  },
};

/** A response with a Status object. */
export function status(code: number, about: object): Said {
  return { status: code, body: { kind: "Status", ...about } };
}

/** The API's response for an object that does not exist. */
export function missing(name: string, kind = "configmaps"): Said {
  return status(404, { reason: "NotFound", message: `${kind} "${name}" not found`, details: { name, kind } });
}

/** The object that the tests send. */
export const config = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "web", namespace: "shop" },
  data: { a: "1" },
};

/** The same object on the server; the field manager `shop` owns the data in `own`. */
export function live(data: object, own: object, more: object = {}): object {
  const fieldsV1 = { "f:data": own };
  const entry = { manager: "shop", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 };
  return {
    ...config,
    data,
    metadata: { ...config.metadata, uid: "u1", resourceVersion: "3", managedFields: [entry], ...more },
  };
}

/** The path of that object in the API. */
export const path = "/api/v1/namespaces/shop/configmaps/web";
