import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { kubeBinaries } from "./binaries.ts";
import { kubeconfigText, makeCertificates } from "./certificates.ts";

/** A Kubernetes API server with its own etcd, on the loopback interface. No controllers run. */
export class ApiServer {
  /** The folder of the kubeconfigs, certificates and logs. */
  readonly folder: string;
  readonly url: string;
  readonly #children: readonly ChildProcess[];

  private constructor(folder: string, url: string, children: readonly ChildProcess[]) {
    this.folder = folder;
    this.url = url;
    this.#children = children;
  }

  /** Starts a server. Throws an Error with the end of its log if it is not ready within ten minutes. */
  static async up(): Promise<ApiServer> {
    const { apiServer, etcd } = await kubeBinaries();
    const folder = mkdtempSync(join(tmpdir(), "furrow-kube-"));
    makeCertificates(folder, { admin: "/CN=admin/O=system:masters", guest: "/CN=guest" });
    const key = join(folder, "service-accounts.key");
    execFileSync("openssl", ["ecparam", "-genkey", "-noout", "-name", "prime256v1", "-out", key]);
    writeFileSync(join(folder, "audit-policy.json"), JSON.stringify(auditPolicy));
    const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
    const children = [
      start(folder, "etcd", etcd, [
        `--data-dir=${join(folder, "etcd")}`,
        `--listen-client-urls=http://127.0.0.1:${client}`,
        `--advertise-client-urls=http://127.0.0.1:${client}`,
        `--listen-peer-urls=http://127.0.0.1:${peer}`,
        `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
        `--initial-cluster=default=http://127.0.0.1:${peer}`,
        "--unsafe-no-fsync",
      ]),
      start(folder, "apiserver", apiServer, [
        `--etcd-servers=http://127.0.0.1:${client}`,
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        `--secure-port=${port}`,
        `--tls-cert-file=${join(folder, "server.crt")}`,
        `--tls-private-key-file=${join(folder, "server.key")}`,
        `--client-ca-file=${join(folder, "ca.crt")}`,
        "--service-account-issuer=https://kubernetes.default.svc",
        `--service-account-key-file=${key}`,
        `--service-account-signing-key-file=${key}`,
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",
        `--cert-dir=${folder}`,
        `--audit-policy-file=${join(folder, "audit-policy.json")}`,
        `--audit-log-path=${join(folder, "audit.log")}`,
      ]),
    ];
    const server = new ApiServer(folder, `https://127.0.0.1:${port}`, children);
    for (const user of ["admin", "guest"])
      writeFileSync(server.kubeconfig(user), kubeconfigText(folder, user, server.url));
    await server.#ready();
    return server;
  }

  /** The path of a user's kubeconfig: `admin` may do everything, `guest` nothing. */
  kubeconfig(user = "admin"): string {
    return join(this.folder, `${user}.kubeconfig`);
  }

  /** Runs kubectl, which is an independent reader and writer. Returns its stdout. Throws if it fails. */
  kubectl(argv: readonly string[], input = ""): string {
    const own = [`--kubeconfig=${this.kubeconfig()}`, `--cache-dir=${join(this.folder, "kubectl")}`];
    return execFileSync("kubectl", [...own, ...argv], { input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
  }

  /** The requests that furrow has sent so far, in the order of their answers: `patch /api/v1/namespaces/shop?…`. */
  requests(): string[] {
    // The last line may not be complete yet.
    const lines = readFileSync(join(this.folder, "audit.log"), "utf8").split("\n").slice(0, -1);
    const events = lines.map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
    return events.flatMap(({ userAgent, verb, requestURI }) =>
      userAgent === "furrow" ? [`${verb} ${requestURI}`] : [],
    );
  }

  /** Stops the server and removes its data. */
  async down(): Promise<void> {
    const ends = this.#children.map((child) => new Promise((resolve) => child.once("close", resolve)));
    // The server waits for etcd if etcd stops first.
    for (const child of this.#children.toReversed()) child.kill("SIGKILL");
    await Promise.all(ends);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const end = Date.now() + 600_000;
    for (;;) {
      try {
        if (this.kubectl(["get", "--raw", "/readyz"]) === "ok" && this.kubectl(["get", "namespace", "default"])) return;
      } catch (error) {
        if (Date.now() > end || this.#children.some(({ exitCode }) => exitCode !== null)) {
          const log = readFileSync(join(this.folder, "apiserver.log"), "utf8").slice(-3000);
          await this.down();
          throw new Error(`the API server does not get ready:\n${log}`, { cause: error });
        }
      }
      await pause(500);
    }
  }
}

const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "Metadata", omitStages: ["RequestReceived"] }],
};

function start(folder: string, name: string, program: string, argv: readonly string[]): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), "w");
  const child = spawn(program, argv, { stdio: ["ignore", log, log] });
  closeSync(log);
  return child;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}
