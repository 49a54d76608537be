import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { artifactNames } from "../../roles/cluster/releases.ts";
import {
  type ArtifactServer,
  type Lab,
  labDown,
  labUp,
  runInHost,
  serveArtifacts,
  standIns,
} from "../../src/lab/index.ts";

const root = join(import.meta.dirname, "../..");

/** What became of one task. */
export interface Finished {
  readonly title: string;
  readonly outcome: string;
}

/** An empty lab host in the place of a cloud VM, a server of boot artifacts, and furrow to deploy with. */
export class Deployment {
  readonly lab: Lab;
  readonly #inventory: string;
  readonly #server: ArtifactServer;
  readonly #folder: string;

  private constructor(lab: Lab, inventory: string, server: ArtifactServer, folder: string) {
    this.lab = lab;
    this.#inventory = inventory;
    this.#server = server;
    this.#folder = folder;
  }

  /** @param inventory from the repository's root; it finds the lab by FURROW_LAB_NAME, the server by FURROW_ARTIFACTS */
  static async up(name: string, nodes: number, version: string, inventory: string): Promise<Deployment> {
    const folder = await standIns(artifactNames(version));
    const lab = await labUp({ name, hosts: 1, disks: nodes, diskSizeBytes: 4 * 2 ** 30, replace: true });
    return new Deployment(lab, inventory, await serveArtifacts(folder, lab.gateway), folder);
  }

  async down(): Promise<void> {
    await this.#server.close();
    await labDown({ name: this.lab.name });
    await rm(this.#folder, { recursive: true });
  }

  /** Runs the flagship playbook as a person would, and gives what became of each task. */
  furrow(verb: "check" | "run"): Promise<readonly Finished[]> {
    const argv = ["bin/furrow.js", verb, "playbooks/harvester.ts", "-i", this.#inventory, "--json"];
    const env = { ...process.env, FURROW_LAB_NAME: this.lab.name, FURROW_ARTIFACTS: this.#server.url };
    return new Promise((resolve, reject) => {
      execFile(process.execPath, argv, { cwd: root, env, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
        if (error) return reject(new Error(`${stdout.slice(-4000)}\n${stderr}`));
        const events = stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as { type: string; outcome: string; task: { title: string } });
        return resolve(
          events
            .filter(({ type }) => type === "taskFinished")
            .map(({ outcome, task }) => ({ outcome, title: task.title })),
        );
      });
    });
  }

  /** What a script prints in the host, run without furrow. */
  async inHost(script: string): Promise<string> {
    const [host] = this.lab.hosts;
    if (host === undefined) throw new Error("the lab has no host");
    return (await runInHost(host, ["sh", "-c", script])).stdout.trim();
  }

  /** What a command prints on a node, logged in to as its user with the configured key, over the host. */
  async onNode(address: string, command: string): Promise<string> {
    const { identityFile, knownHostsFile, hosts } = this.lab;
    const common = ["-i", identityFile, "-o", `UserKnownHostsFile=${knownHostsFile}`, "-o", "BatchMode=yes"];
    const jump = ["ssh", ...common, "-W", "%h:%p", `root@${hosts[0]?.address}`].join(" ");
    const argv = [...common, "-o", `ProxyCommand=${jump}`, "-o", "StrictHostKeyChecking=accept-new"];
    return (await promisify(execFile)("ssh", [...argv, `rancher@${address}`, command])).stdout.trim();
  }

  /** What the stand-in of a node has said on its console. */
  async said(node: string): Promise<string[]> {
    const text = await this.inHost(`grep -a ^stand-in: /var/log/libvirt/qemu/${node}-serial.log || true`);
    return text.replaceAll("\r", "").split("\n");
  }

  /** Where the playbook brings the kubeconfig. */
  get kubeconfig(): string {
    return join(dirname(this.lab.identityFile), "kubeconfig.yaml");
  }
}
