import { execFile } from "node:child_process";
import { appendFile, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { standIns } from "stand-in-node";
import { artifactNames } from "../../roles/cluster/releases.ts";
import {
  type ArtifactServer,
  type Lab,
  type LabHost,
  labDown,
  labUp,
  runInHost,
  serveArtifacts,
} from "../../src/lab/index.ts";
import { type Controller, type Event, startFurrowAt } from "../torture/controller.ts";

const root = join(import.meta.dirname, "../..");

/** The outcome of one task. */
export interface Finished {
  readonly title: string;
  readonly outcome: string;
}

/** The playbook to run, and how to run it. */
export interface RunOptions {
  /** The playbook's name in `playbooks/`; default `harvester`. */
  readonly playbook?: string;
  /** Arguments of `--var`, each as `NAME=VALUE`. */
  readonly vars?: readonly string[];
  /** The answer to the question that the playbook asks before it deletes data. */
  readonly yes?: boolean;
  /** More flags for the command. */
  readonly flags?: readonly string[];
  /** Called with each event as it arrives. */
  readonly listener?: (event: Event) => void;
}

/** The outcomes of the finished tasks, in order. */
export function finished(events: readonly Event[]): Finished[] {
  return events
    .filter(({ type }) => type === "taskFinished")
    .map(({ outcome, task }) => ({ outcome: String(outcome), title: (task as { title: string }).title }));
}

/** An empty lab host in place of a cloud VM, a server for boot artifacts, and a furrow command to deploy with. */
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

  /**
   * @param disks number of data disks: one for each planned node
   * @param inventory path in the repository; finds the lab by FURROW_LAB_NAME, the server by FURROW_ARTIFACTS
   * @param later further versions whose artifacts the server also has
   */
  static async up(
    name: string,
    disks: number,
    version: string,
    inventory: string,
    later: readonly string[] = [],
  ): Promise<Deployment> {
    const folder = await standIns(artifactNames(version));
    for (const one of later) {
      const more = await standIns(artifactNames(one));
      const list = await readFile(join(more, "sha512"), "utf8");
      for (const file of Object.values(artifactNames(one))) await rename(join(more, file), join(folder, file));
      await appendFile(join(folder, "sha512"), list);
      await rm(more, { recursive: true });
    }
    const lab = await labUp({ name, hosts: 1, disks, diskSizeBytes: 4 * 2 ** 30, replace: true });
    return new Deployment(lab, inventory, await serveArtifacts(folder, lab.gateway), folder);
  }

  async down(): Promise<void> {
    await this.#server.close();
    await labDown({ name: this.lab.name });
    await rm(this.#folder, { recursive: true });
  }

  /** Starts the main Harvester playbook, or another playbook, as a user would. */
  start(verb: "check" | "run", options: RunOptions = {}): Controller {
    const { playbook = "harvester", vars = [], yes = false, flags = [], listener } = options;
    const given = [...vars.flatMap((one) => ["--var", one]), ...(yes ? ["--yes"] : []), ...flags];
    const args = [verb, `playbooks/${playbook}.ts`, "-i", this.#inventory, ...given];
    const env = { ...process.env, FURROW_LAB_NAME: this.lab.name, FURROW_ARTIFACTS: this.#server.url };
    return startFurrowAt({ cwd: root, env }, args, listener);
  }

  /** Runs a playbook to its end. Returns the outcome of each task. Throws if it fails. */
  async furrow(verb: "check" | "run", options: RunOptions = {}): Promise<readonly Finished[]> {
    const { code, events, text } = await this.start(verb, options).ended;
    if (code !== 0) throw new Error(text.slice(-4000));
    return finished(events);
  }

  /** Runs a script on the host without furrow. Returns what it prints. */
  async inHost(script: string): Promise<string> {
    return (await runInHost(this.host, ["sh", "-c", script])).stdout.trim();
  }

  /** The lab's only host. */
  get host(): LabHost {
    const [host] = this.lab.hosts;
    if (host === undefined) throw new Error("the lab has no host");
    return host;
  }

  /**
   * Logs in to a node through the host, as the node's user with the configured key, and runs a command. Returns what
   * the command prints.
   */
  async onNode(address: string, command: string): Promise<string> {
    const { identityFile, knownHostsFile, hosts } = this.lab;
    const common = ["-i", identityFile, "-o", `UserKnownHostsFile=${knownHostsFile}`, "-o", "BatchMode=yes"];
    const jump = ["ssh", ...common, "-W", "%h:%p", `root@${hosts[0]?.address}`].join(" ");
    const argv = [...common, "-o", `ProxyCommand=${jump}`, "-o", "StrictHostKeyChecking=accept-new"];
    return (await promisify(execFile)("ssh", [...argv, `rancher@${address}`, command])).stdout.trim();
  }

  /** The text that a stand-in node has printed on its console. */
  async said(node: string): Promise<string[]> {
    const text = await this.inHost(`grep -a ^stand-in: /var/log/libvirt/qemu/${node}-serial.log || true`);
    return text.replaceAll("\r", "").split("\n");
  }

  /** The URL of the server for boot artifacts. */
  get artifacts(): string {
    return this.#server.url;
  }

  /** The path to which the playbook writes the kubeconfig. */
  get kubeconfig(): string {
    return join(dirname(this.lab.identityFile), "kubeconfig.yaml");
  }
}
