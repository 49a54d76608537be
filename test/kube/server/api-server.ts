import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { customBinary, kubeBinaries, packageVersion } from "./binaries.ts";
import { kubeconfigText, makeCertificates } from "./certificates.ts";
import { startCustomServer } from "./custom-server.ts";
import { freePort, kubectlIn, Processes } from "./processes.ts";

/**
 * A Kubernetes API server with its own etcd, on the loopback interface. No controllers run. Custom kinds are served by
 * a current release if its server can be built on this machine.
 */
export class ApiServer {
  /** The folder of the kubeconfigs, certificates and logs. */
  readonly folder: string;
  readonly url: string;
  /** Which release serves custom kinds, for the notes of a suite. */
  readonly customVersion: string;
  readonly #processes: Processes;

  private constructor(folder: string, url: string, customVersion: string, processes: Processes) {
    this.folder = folder;
    this.url = url;
    this.customVersion = customVersion;
    this.#processes = processes;
  }

  /**
   * Starts a server; with `onlyBuiltIn`, the old release serves all kinds. Throws an Error with the end of the
   * server's log if the server is not ready within ten minutes.
   */
  static async up({ onlyBuiltIn = false } = {}): Promise<ApiServer> {
    const { apiServer, etcd } = await kubeBinaries();
    const custom = onlyBuiltIn ? undefined : await customBinary();
    const folder = mkdtempSync(join(tmpdir(), "furrow-kube-"));
    const users = { admin: "/CN=admin/O=system:masters", guest: "/CN=guest", front: "/CN=front" };
    makeCertificates(folder, users);
    const key = join(folder, "service-accounts.key");
    execFileSync("openssl", ["ecparam", "-genkey", "-noout", "-name", "prime256v1", "-out", key]);
    writeFileSync(join(folder, "audit-policy.json"), JSON.stringify(auditPolicy));
    const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
    const processes = new Processes(folder);
    const etcdUrl = `http://127.0.0.1:${client}`;
    processes.start("etcd", etcd, [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-cluster=default=http://127.0.0.1:${peer}`,
      "--unsafe-no-fsync",
    ]);
    const front = [
      `--requestheader-client-ca-file=${join(folder, "ca.crt")}`,
      "--requestheader-allowed-names=front",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
    ];
    processes.start("apiserver", apiServer, [
      `--etcd-servers=${etcdUrl}`,
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
      // The server needs these options to forward commands to the nodes' kubelets.
      `--kubelet-certificate-authority=${join(folder, "ca.crt")}`,
      `--kubelet-client-certificate=${join(folder, "front.crt")}`,
      `--kubelet-client-key=${join(folder, "front.key")}`,
      "--kubelet-preferred-address-types=InternalIP",
      ...auditTo(folder, "audit"),
      ...front,
    ]);
    const core = `https://127.0.0.1:${port}`;
    writeFileSync(join(folder, "core.kubeconfig"), kubeconfigText(folder, "admin", core));
    const asks = (...argv: string[]): string => kubectlIn(folder, "core.kubeconfig", argv);
    await processes.ready(
      "apiserver",
      () => asks("get", "--raw", "/readyz") === "ok" && asks("get", "namespace", "default") !== "",
    );
    const place = { folder, core, etcd: etcdUrl, audit: auditTo(folder, "audit-custom"), front };
    const url = custom === undefined ? core : await startCustomServer({ ...place, program: custom.program }, processes);
    for (const user of ["admin", "guest"]) {
      writeFileSync(join(folder, `${user}.kubeconfig`), kubeconfigText(folder, user, url));
    }
    return new ApiServer(folder, url, custom?.version ?? packageVersion, processes);
  }

  /** The path of a user's kubeconfig: `admin` may do everything, `guest` nothing. */
  kubeconfig(user = "admin"): string {
    return join(this.folder, `${user}.kubeconfig`);
  }

  /** Runs kubectl, which reads and writes independently of furrow. Returns its stdout. Throws if it fails. */
  kubectl(argv: readonly string[], input = ""): string {
    return kubectlIn(this.folder, "admin.kubeconfig", argv, input);
  }

  /** The requests that furrow has sent so far, in the order of their responses: `patch /api/v1/namespaces/shop?…`. */
  requests(): string[] {
    const events = ["audit.log", "audit-custom.log"].flatMap((name) => this.#events(name));
    const sorted = events.toSorted((a, b) => Date.parse(a.stageTimestamp) - Date.parse(b.stageTimestamp));
    return sorted.flatMap(({ userAgent, verb, requestURI }) =>
      userAgent === "furrow" ? [`${verb} ${requestURI}`] : [],
    );
  }

  #events(name: string): AuditEvent[] {
    const path = join(this.folder, name);
    if (!existsSync(path)) return [];
    // The last line might not be complete yet.
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as AuditEvent);
  }

  /** Stops the server and removes its data. */
  async down(): Promise<void> {
    await this.#processes.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A line of an audit log, with the fields that tests read. */
interface AuditEvent {
  readonly userAgent: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly stageTimestamp: string;
}

const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "Metadata", omitStages: ["RequestReceived"] }],
};

function auditTo(folder: string, name: string): string[] {
  return [
    `--audit-policy-file=${join(folder, "audit-policy.json")}`,
    `--audit-log-path=${join(folder, `${name}.log`)}`,
  ];
}
