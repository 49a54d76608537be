import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createSecure, type Server as SecureServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { etcdCondition } from "../guards/examples.ts";
import { RawApi } from "../kube/ownership/raw-api.ts";
import type { ApiServer } from "../kube/server/api-server.ts";

/** A node that has asked to be registered. */
interface Registered {
  readonly name: string;
  readonly kind: string;
  readonly version: string;
  readonly address: string;
  readonly ready: string;
}

/**
 * Simulates RKE2's supervisor (port 9345) and kubelets for the stand-ins on lab hosts: it hands out the CA certificate,
 * checks the token and each node's password, and stores the node objects in a real API server. The paths and the login
 * are those of pkg/clientaccess and pkg/nodepassword of k3s-io/k3s.
 */
export class Supervisor {
  /** The names of the servers that have started a cluster; a second one would start a second cluster. */
  readonly begun: string[] = [];
  /** Refused logins, for tests. */
  readonly refused: string[] = [];
  readonly #server: ApiServer;
  readonly #api: RawApi;
  readonly #listeners: (SecureServer | Server)[] = [];
  readonly #passwords = new Map<string, string>();
  #token = "";
  #address = "";
  #ports = { supervisor: 0, api: 0 };

  private constructor(server: ApiServer) {
    this.#server = server;
    this.#api = new RawApi(server.url, server.folder);
  }

  /**
   * Starts the supervisor at an address that the hosts can reach.
   *
   * @param api the URL at which the API is reached from this machine
   */
  static async up(server: ApiServer, address: string, api: string): Promise<Supervisor> {
    const own = new Supervisor(server);
    const file = (name: string): Buffer => readFileSync(join(server.folder, name));
    const asked = createSecure({ key: file("server.key"), cert: file("server.crt") }, (question, answer) => {
      own.#answer(question, answer).catch((error: unknown) => answer.writeHead(500).end(String(error)));
    });
    const { hostname, port } = new URL(api);
    const relay = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) socket.on("error", () => void (near.destroy(), far.destroy()));
      near.pipe(far).pipe(near);
    });
    own.#address = address;
    own.#ports = { supervisor: await own.#listen(asked), api: await own.#listen(relay) };
    return own;
  }

  /** The content of share/rke2/stand-in in the tarball. */
  get places(): string {
    const { supervisor, api } = this.#ports;
    return `supervisor ${this.#address}:${supervisor}\napi ${this.#address}:${api}\n`;
  }

  /** Forgets the cluster. */
  reset(): void {
    this.begun.length = 0;
    this.refused.length = 0;
    this.#passwords.clear();
    this.#token = "";
  }

  async down(): Promise<void> {
    this.#api.close();
    for (const one of this.#listeners) {
      if ("closeAllConnections" in one) one.closeAllConnections();
      await new Promise((done) => {
        one.close(done);
        setTimeout(done, 500).unref();
      });
    }
  }

  async #listen(server: SecureServer | Server): Promise<number> {
    this.#listeners.push(server);
    await new Promise<void>((ready) => server.listen(0, this.#address, ready));
    return (server.address() as AddressInfo).port;
  }

  async #answer(question: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = question.url ?? "";
    let body = "";
    for await (const part of question) body += String(part);
    if (path === "/cacerts") return void answer.end(this.#file("ca.crt"));
    if (path === "/ping") return void answer.end("pong");
    const token = Buffer.from((question.headers.authorization ?? "").replace(/^Basic /, ""), "base64")
      .toString()
      .replace(/^[^:]*:/, "");
    const name = String(question.headers["node-name"]);
    if (path === "/v1-rke2/begin") {
      this.begun.push(name);
      this.#token = token;
      return void answer.end();
    }
    const known = this.#passwords.get(name);
    const password = String(question.headers["node-password"]);
    if (token !== this.#token || token === "") return this.#refuse(answer, 401, `${name}: another token`);
    // A name belongs to the node that used it first.
    if (known !== undefined && known !== password) return this.#refuse(answer, 403, `${name}: another password`);
    this.#passwords.set(name, password);
    if (path === "/v1-rke2/server-bootstrap")
      return void answer.end(this.#parts({ ca: "ca.crt", certificate: "admin.crt", key: "admin.key" }));
    if (path === "/v1-rke2/agent-bootstrap") return void answer.end(this.#parts({ ca: "ca.crt" }));
    if (path !== "/v1-rke2/node") return void answer.writeHead(404).end();
    // The values are not URL-encoded: the + in a release is a literal plus.
    const fields = body.split("&").map((one) => one.split("=") as [string, string]);
    await this.#register(Object.fromEntries(fields) as unknown as Registered);
    answer.end();
  }

  #refuse(answer: ServerResponse, status: number, why: string): void {
    this.refused.push(why);
    answer.writeHead(status).end();
  }

  /** Stores what a kubelet stores in the API: the node's labels, addresses, release and condition Ready. */
  async #register({ name, kind, version, address, ready }: Registered): Promise<void> {
    const node = { apiVersion: "v1", kind: "Node" };
    const roles = kind === "server" ? ["control-plane", "etcd", "master"] : [];
    const labels = {
      "kubernetes.io/hostname": name,
      ...Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, "true"])),
    };
    await this.#apply(`/api/v1/nodes/${name}`, { ...node, metadata: { name, labels } });
    const reason = ready === "True" ? "KubeletReady" : "NodeStatusUnknown";
    await this.#apply(`/api/v1/nodes/${name}/status`, {
      ...node,
      metadata: { name },
      status: {
        addresses: [{ type: "InternalIP", address }],
        capacity: { cpu: "4", memory: "8Gi" },
        allocatable: { cpu: "4", memory: "8Gi" },
        conditions: [
          { type: "Ready", status: ready, reason, message: "" },
          ...(kind === "server" ? [etcdCondition(ready === "True" ? "True" : "False")] : []),
        ],
        nodeInfo: {
          ...Object.fromEntries(unknownInfo.map((field) => [field, ""])),
          kubeletVersion: version,
        },
      },
    });
  }

  async #apply(path: string, object: object): Promise<void> {
    // A manager that applies fewer fields than before gives up the others, so each part has its own manager.
    const manager = path.endsWith("/status") ? "kubelet-status" : "kubelet";
    const url = `${path}?fieldManager=${manager}&force=true`;
    // Like a kubelet, this retries: another node may be registered at the same moment.
    for (let tries = 5; ; tries -= 1) {
      const { status, body } = await this.#api.send("PATCH", url, "application/apply-patch+yaml", object);
      if (status < 300) return;
      if (tries === 0) throw new Error(`${path}: HTTP ${status} ${body}`);
      await new Promise((done) => setTimeout(done, 500));
    }
  }

  #file(name: string): Buffer {
    return readFileSync(join(this.#server.folder, name));
  }

  #parts(files: Readonly<Record<string, string>>): string {
    return Object.entries(files)
      .map(([part, name]) => `${part} ${this.#file(name).toString("base64")}\n`)
      .join("");
  }
}

const unknownInfo = [
  "machineID",
  "systemUUID",
  "bootID",
  "kernelVersion",
  "osImage",
  "containerRuntimeVersion",
  "kubeProxyVersion",
  "operatingSystem",
  "architecture",
];
