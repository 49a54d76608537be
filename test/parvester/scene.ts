import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Lab, type LabHost, labDown, labUp, runInHost } from "../../src/lab/index.ts";
import { Stage } from "../kube/kills/stage.ts";
import { ApiServer } from "../kube/server/api-server.ts";
import { LethalProxy } from "../kube/server/lethal-proxy.ts";
import { finished, type Finished } from "../playbooks/deployment.ts";
import { Mirror } from "../stand-in-rke2/mirror.ts";
import { Supervisor } from "../stand-in-rke2/supervisor.ts";
import { type Controller, type Event, startFurrowAt } from "../torture/controller.ts";
import { manifests } from "./manifests.ts";

/** The releases in the tests. */
export const releases = {
  rke2: "v1.28.11+rke2r1",
  newRke2: "v1.29.6+rke2r1",
  kubevirt: "v1.1.1",
  newKubevirt: "v1.2.0",
  cdi: "v1.59.0",
  localPath: "v0.0.28",
  multus: "v4.0.2",
} as const;

const root = join(import.meta.dirname, "../..");

const emptied = `if test -x /opt/rke2/bin/rke2-uninstall.sh; then
  INSTALL_RKE2_ROOT=/opt/rke2 /opt/rke2/bin/rke2-uninstall.sh >/dev/null 2>&1 || true
fi
systemctl stop rke2-server rke2-agent >/dev/null 2>&1 || true
rm -rf /opt/rke2 /opt/local-path-provisioner /etc/rancher /var/lib/rancher /var/lib/furrow-rke2 /var/lib/furrow
rm -f /usr/local/bin/virtctl /etc/systemd/system/rke2-*.service /etc/systemd/system/*.wants/rke2-*.service
systemctl daemon-reload
systemctl reset-failed`;

/** Files with modes and digests; passwords differ between nodes. */
const listed = `cd / && for folder in opt/rke2 etc/rancher/rke2 usr/local/bin var/lib/furrow-rke2; do
  if test -d $folder; then find $folder -type f ! -name rke2.yaml -printf '%m %u %p ' -exec sha256sum {} \\; | cut -d ' ' -f 1-4; fi
done | sort
stat --format '%a %n' etc/rancher/rke2/rke2.yaml etc/systemd/system/rke2-*.service 2>/dev/null || true
systemctl is-active rke2-server rke2-agent || true
systemctl is-enabled rke2-server rke2-agent 2>/dev/null || true`;

/** How furrow runs a playbook. */
export interface RunOptions {
  readonly check?: boolean;
  /** The number of lab hosts that are nodes: three are servers, the fourth is an agent. */
  readonly nodes?: number;
  readonly yes?: boolean;
  readonly vars?: object;
  readonly listener?: (event: Event) => void;
}

/** The result of a run. */
export interface RunEnd {
  readonly code: number | null;
  readonly text: string;
  readonly tasks: readonly Finished[];
}

/**
 * Hosts of a lab, a real API server, the stand-in for RKE2 with its supervisor, and a mirror with all files. The last
 * host of the lab stands in for the virtual machine: it has the machine's address and accepts its login.
 */
export class Scene {
  readonly server: ApiServer;
  readonly lab: Lab;
  readonly mirror: Mirror;
  readonly proxy: LethalProxy;
  readonly supervisor: Supervisor;
  readonly stage: Stage;
  readonly vars: Readonly<Record<string, unknown>>;

  private constructor(parts: Pick<Scene, "server" | "lab" | "mirror" | "proxy" | "supervisor" | "stage">) {
    this.server = parts.server;
    this.lab = parts.lab;
    this.mirror = parts.mirror;
    this.proxy = parts.proxy;
    this.supervisor = parts.supervisor;
    this.stage = parts.stage;
    this.vars = this.#fill();
  }

  /** Starts everything: a lab with nodes and the host that stands in for the machine. */
  static async up(name: string, nodes: number): Promise<Scene> {
    const lab = await labUp({ name, hosts: nodes + 1, libvirt: true, replace: true });
    const server = await ApiServer.up();
    const proxy = await LethalProxy.up(server.folder, server.url);
    const supervisor = await Supervisor.up(server, lab.gateway, proxy.url);
    const mirror = await Mirror.up(lab.gateway);
    const scene = new Scene({ server, lab, mirror, proxy, supervisor, stage: await Stage.open(server) });
    const authority = readFileSync(mirror.authority, "utf8");
    for (const host of scene.nodes)
      await scene.inHost(
        host,
        `cat >/usr/local/share/ca-certificates/mirror.crt <<'PEM'\n${authority}PEM\nupdate-ca-certificates >/dev/null 2>&1
ip link add br0 type bridge && ip link set br0 up`,
      );
    return scene;
  }

  /** The hosts that may be nodes. */
  get nodes(): readonly LabHost[] {
    return this.lab.hosts.slice(0, -1);
  }

  /** The host that stands in for the virtual machine. */
  get machine(): LabHost {
    const found = this.lab.hosts.at(-1);
    if (found === undefined) throw new Error("the lab has no hosts");
    return found;
  }

  get kubeconfig(): string {
    return join(this.lab.directory, "parvester-kubeconfig.yaml");
  }

  /** Starts a playbook as a user would. */
  start(playbook: string, { check = false, nodes = 3, yes = false, vars = {}, listener }: RunOptions = {}): Controller {
    const file = join(this.server.folder, "vars.json");
    writeFileSync(file, JSON.stringify({ ...this.vars, ...vars }));
    const args = [check ? "check" : "run", `playbooks/${playbook}.ts`, "-i", "test/parvester/inventory.ts"];
    const env = {
      ...process.env,
      FURROW_LAB_NAME: this.lab.name,
      FURROW_NODES: String(nodes),
      NODE_EXTRA_CA_CERTS: this.mirror.authority,
    };
    return startFurrowAt(
      { cwd: root, env },
      [...args, "--var", `@${file}`, ...(yes && !check ? ["--yes"] : [])],
      listener,
    );
  }

  /** Runs a playbook to its end, whether it succeeds or fails. */
  async run(playbook: string, options: RunOptions = {}): Promise<RunEnd> {
    const { code, events, text } = await this.start(playbook, options).ended;
    return { code, text, tasks: finished(events) };
  }

  /** Runs a script on a host without furrow. Returns what it prints. */
  async inHost(host: LabHost, script: string): Promise<string> {
    return (await runInHost(host, ["sh", "-ec", script])).stdout.trim();
  }

  /** Removes everything that runs have created, on the hosts, in the cluster and on the controller, without furrow. */
  async reset(): Promise<void> {
    await Promise.all(this.nodes.map((host) => this.inHost(host, emptied)));
    for (const path of [this.kubeconfig, `${this.kubeconfig}.known_hosts`, `${this.kubeconfig}.unchecked`])
      rmSync(path, { force: true });
    this.server.kubectl(["delete", "crd", "--all", "--timeout=60s"]);
    await this.stage.refresh();
    await this.stage.set([]);
    this.supervisor.reset();
  }

  /** What runs have created, as text that is the same for two attempts. */
  async state(): Promise<Record<string, string>> {
    await this.stage.refresh();
    const files = await Promise.all(this.nodes.map((host) => this.inHost(host, listed)));
    const own = this.nodes.map(({ name }, index) => [`files of ${name}`, files[index] ?? ""]);
    return { ...(await this.stage.state()), ...(Object.fromEntries(own) as object) };
  }

  async down(): Promise<void> {
    this.stage.close();
    await this.supervisor.down();
    await this.proxy.down();
    await this.server.down();
    await this.mirror.down();
    await labDown({ name: this.lab.name });
  }

  /** Fills the mirror. Returns the vars. */
  #fill(): Record<string, unknown> {
    const { mirror, supervisor, lab } = this;
    const { rke2, kubevirt, cdi, localPath } = releases;
    return {
      version: rke2,
      tarballs: { amd64: mirror.putRke2(rke2, supervisor.places) },
      mirror: mirror.url,
      token: "a secret of the lab",
      kubeconfig: this.kubeconfig,
      emulation: true,
      virtFailures: { cgroup: "the lab runs no machine", "/dev/net/tun": "the lab runs no machine", vhost: "the same" },
      readySeconds: 60,
      stackSeconds: 60,
      kubevirt: {
        version: kubevirt,
        operator: mirror.put(`kubevirt/${kubevirt}/kubevirt-operator.yaml`, manifests.kubevirt(kubevirt)),
        virtctl: {
          amd64: mirror.put(`kubevirt/${kubevirt}/virtctl-${kubevirt}-linux-amd64`, "#!/bin/sh\necho virtctl\n"),
        },
      },
      cdi: {
        version: cdi,
        operator: mirror.put(`cdi/${cdi}/cdi-operator.yaml`, manifests.cdi(cdi)),
      },
      localPath: {
        version: localPath,
        manifest: mirror.put(`local-path/${localPath}/local-path-storage.yaml`, manifests.localPath(localPath)),
      },
      networks: { lan: { bridge: "br0", vlan: 101 } },
      images: {
        fedora: {
          source:
            "https://download.fedoraproject.org/pub/fedora/linux/releases/40/Cloud/x86_64/images/Fedora-Cloud-Base-Generic.x86_64-40-1.14.qcow2",
          size: "10Gi",
        },
      },
      machines: {
        vm1: {
          cores: 2,
          memory: "1Gi",
          disks: [{ image: "fedora", size: "10Gi" }, { size: "5Gi" }],
          nics: [
            {
              network: "lan",
              address: `${this.machine.address}/24`,
              gateway: lab.gateway,
              nameservers: ["1.1.1.1"],
            },
          ],
          user: "admin",
          sshKeys: [readFileSync(`${lab.identityFile}.pub`, "utf8").trim()],
          login: { identityFile: lab.identityFile },
        },
      },
    };
  }
}
