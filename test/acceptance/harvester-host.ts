import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { artifactNames } from "../../roles/cluster/releases.ts";
import { type Lab, labDown, type LabHost, labUp } from "../../src/lab/index.ts";
import { labTaskHost, type TaskHost } from "../tasks/on-host.ts";

const root = join(import.meta.dirname, "../..");

/** The version that these tests deploy; its nodes boot with a BIOS. */
export const version = "v1.4.1";

/** The outcome of one task. */
export interface Finished {
  readonly title: string;
  readonly outcome: string;
  readonly error?: { readonly what: string; readonly current?: string; readonly details?: readonly string[] };
}

/** Each boot artifact contains its own name. */
export const artifactText = (name: string): string => `${name}\n`;

/**
 * Boot artifacts with digests, on a server that does not answer. A host that already has the files downloads nothing.
 */
export function artifactsThere(): Readonly<Record<string, { readonly url: string; readonly checksum: string }>> {
  return Object.fromEntries(
    Object.entries(artifactNames(version)).map(([part, name]) => {
      const digest = createHash("sha256").update(artifactText(name)).digest("hex");
      return [part, { url: `http://127.0.0.1:9/${name}`, checksum: `sha256:${digest}` }];
    }),
  );
}

/** Vars for a small cluster; the run does not wait for its nodes. */
export const smallCluster = {
  version,
  firmware: "bios",
  emulation: "software",
  size: { processors: 1, memoryMiB: 256, diskGiB: 1 },
  ready: false,
  kubeconfig: false,
} as const;

/** The vars for a run. */
export interface HostVars {
  readonly disks: readonly string[];
  readonly [name: string]: unknown;
}

/** A lab host with libvirt, which stands in for a cloud VM; furrow runs on this machine. */
export interface HarvesterHost extends TaskHost {
  readonly lab: Lab;
  readonly labHost: LabHost;
  /** Runs a playbook as a user would. Returns the host's tasks in order. */
  furrow(verb: "check" | "run", vars: HostVars, onOutput?: (text: string) => void): Promise<readonly Finished[]>;
  down(): Promise<void>;
}

/** Starts a fresh host with data disks. */
export async function harvesterHost(name: string, disks: number): Promise<HarvesterHost> {
  const lab = await labUp({ name, hosts: 1, disks, diskSizeBytes: 2 * 2 ** 30, libvirt: true, replace: true });
  const [labHost] = lab.hosts as readonly [LabHost];
  const host = await labTaskHost(labHost);
  return {
    ...host,
    lab,
    labHost,
    furrow(verb, vars, onOutput = () => undefined) {
      // The inventory sets a lab host's disks as a host var, which this flag overrides.
      const disks = `disks=${JSON.stringify(vars.disks)}`;
      const inventory = ["-i", "test/acceptance/inventory.ts", "--var", disks];
      const argv = ["bin/furrow.js", verb, "playbooks/harvester.ts", ...inventory, "--json"];
      const env = { ...process.env, FURROW_LAB_NAME: name, FURROW_VARS: JSON.stringify(vars) };
      return new Promise((resolve, reject) => {
        const options = { cwd: root, env, maxBuffer: 1 << 28 };
        const child = execFile(process.execPath, argv, options, (_error, stdout, stderr) => {
          const ends = finished(stdout);
          if (ends.length === 0) reject(new Error(`${stdout.slice(-4000)}\n${stderr}`));
          else resolve(ends);
        });
        child.stdout?.on("data", onOutput);
      });
    },
    down: () => labDown({ name }),
  };
}

function finished(stdout: string): Finished[] {
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { type: string; task: { title: string }; outcome: string; error?: object })
    .filter(({ type }) => type === "taskFinished")
    .map(({ task, outcome, error }) => ({
      title: task.title,
      outcome,
      ...(error !== undefined && { error: error as never }),
    }));
}

/** The tasks whose outcome is not `ok`. */
export function notOk(ends: readonly Finished[]): readonly Finished[] {
  return ends.filter(({ outcome }) => outcome !== "ok");
}

/** Waits until a condition is true; throws after `seconds`. */
export async function until(what: () => Promise<boolean>, seconds = 120): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await what())) {
    if (Date.now() > end) throw new Error(`not reached within ${seconds} seconds: ${what.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
