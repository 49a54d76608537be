import { rm } from "node:fs/promises";
import { join } from "node:path";
import { standIns } from "stand-in-node";
import { artifactNames } from "../../roles/cluster/releases.ts";
import { type ArtifactServer, type Lab, labDown, labUp, serveArtifacts } from "../../src/lab/index.ts";
import { finished } from "../playbooks/deployment.ts";
import { labTaskHost, type TaskHost } from "../tasks/on-host.ts";
import { startFurrowAt } from "../torture/controller.ts";
import { rackNetwork } from "./dhcp-client.ts";
import { rackVersion } from "./machines.ts";

/** A lab host that serves a rack of virtual machines, and a furrow command that works on it. */
export class LabRack {
  readonly host: TaskHost;
  readonly #lab: Lab;
  readonly #server: ArtifactServer;
  readonly #folder: string;

  private constructor(host: TaskHost, lab: Lab, server: ArtifactServer, folder: string) {
    this.host = host;
    this.#lab = lab;
    this.#server = server;
    this.#folder = folder;
  }

  static async up(name: string): Promise<LabRack> {
    const folder = await standIns(artifactNames(rackVersion));
    const lab = await labUp({ hosts: 1, name, libvirt: true, replace: true });
    const [labHost] = lab.hosts;
    if (labHost === undefined) throw new Error("the lab has no host");
    const host = await labTaskHost(labHost);
    await rackNetwork(host);
    return new LabRack(host, lab, await serveArtifacts(folder, lab.gateway), folder);
  }

  async down(): Promise<void> {
    await this.#server.close();
    await labDown({ name: this.#lab.name });
    await rm(this.#folder, { recursive: true });
  }

  /** Runs a playbook as a user would. Returns the exit code, the outcomes, and everything that furrow printed. */
  async furrow(verb: "check" | "run", playbook: "pxe" | "pxe-status", ...more: readonly string[]) {
    const args = [verb, `playbooks/${playbook}.ts`, "-i", "test/pxe/inventory.ts", ...more];
    const env = { ...process.env, FURROW_LAB_NAME: this.#lab.name, FURROW_ARTIFACTS: this.#server.url };
    const { code, events, text } = await startFurrowAt({ cwd: join(import.meta.dirname, "../.."), env }, args).ended;
    return { code, text, outcomes: finished(events).map(({ outcome }) => outcome) };
  }
}
