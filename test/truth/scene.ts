import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Lab, type LabHost, labStateDir, runInHost } from "../../src/lab/index.ts";
import type { Screens, Seen } from "../screens/screens.ts";

/** How a task in a run ended, as reported by `--json`. */
export interface End {
  readonly id: string;
  /** The name of the task's module. */
  readonly module: string;
  readonly title: string;
  readonly outcome: string;
  readonly dependsOn?: string | undefined;
  readonly error?: string | undefined;
}

/** The result of a run with `--json`. */
export interface Told {
  readonly code: number;
  readonly ends: readonly End[];
  /** How many times each outcome occurred, from the recap. */
  readonly counts: Readonly<Record<string, number>>;
}

interface Line {
  readonly type: string;
  readonly task: { readonly id: string; readonly module: string; readonly title: string };
  readonly outcome: string;
  readonly dependsOn?: { readonly task: string };
  readonly error?: { readonly code: string; readonly what: string };
  readonly recap: readonly { readonly counts: Readonly<Record<string, number>> }[];
}

/** Parses the JSON lines of a run on one host. */
export function readRun(seen: Seen): Told {
  const lines = seen.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const ends = lines
    .filter(({ type }) => type === "taskFinished")
    .map(({ task, outcome, dependsOn, error }) => ({
      id: task.id,
      module: task.module,
      title: task.title,
      outcome,
      dependsOn: dependsOn?.task,
      error: error && `${error.code} ${error.what}`,
    }));
  const counts = lines.find(({ type }) => type === "runFinished")?.recap[0]?.counts ?? {};
  return { code: seen.code, ends, counts };
}

/** The environment variables with which the command finds a lab even though the command has its own home directory. */
export function labEnv(lab: Lab, user: string = "root"): Readonly<Record<string, string>> {
  return { FURROW_LAB_NAME: lab.name, FURROW_LAB_USER: user, FURROW_LAB_DIR: labStateDir() };
}

/**
 * Waits until all units on a host are up: the host accepts logins a little earlier, when systemd might not answer yet.
 */
export async function settled(host: LabHost): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { stdout } = await runInHost(host, ["systemctl", "is-system-running", "--wait"], { allowFailure: true });
    if (/running|degraded/.test(stdout)) return;
    await sleep(100);
  }
  throw new Error(`${host.name} does not become idle`);
}

/**
 * The files that the playbook sends to a host. Each host has a separate folder, because the playbook also fetches files
 * into it.
 */
export class Fixtures {
  readonly folder: string;
  /** SHA-256 of `site.tar.gz` in hex. */
  readonly digest: string;

  /** @param archive fixtures whose archive is reused, so that both archives are the same */
  constructor(screens: Screens, name: string, archive?: Fixtures) {
    this.folder = join(screens.folder, name);
    screens.put(`${name}/motd`, "a message\n");
    screens.put(`${name}/tree/a`, "a\n");
    screens.put(`${name}/tree/sub/b`, "b\n");
    screens.put(`${name}/packed/index`, "an index\n");
    const packed = join(this.folder, "site.tar.gz");
    if (archive) copyFileSync(join(archive.folder, "site.tar.gz"), packed);
    else execFileSync("tar", ["-czf", packed, "-C", join(this.folder, "packed"), "index"]);
    this.digest = createHash("sha256").update(readFileSync(packed)).digest("hex");
  }

  /** The files fetched from the host, which are part of the controller's state. */
  fetched(): string {
    const file = join(this.folder, "fetched");
    return existsSync(file) ? readFileSync(file, "utf8") : "nothing fetched";
  }
}

/** The state of a host, printed by a script that does not share any code with furrow. */
export interface ObservedState {
  readonly state: string;
  /** The times at which files were last changed, because an unchanged file must not even be rewritten. */
  readonly times: string;
}

const script = readFileSync(join(import.meta.dirname, "observed-state.sh"), "utf8");

/** Runs the script that prints the state. */
export async function observeState(host: LabHost, fixtures: Fixtures): Promise<ObservedState> {
  const { stdout } = await runInHost(host, ["sh"], { input: script });
  const [state = "", times = ""] = stdout.split("== times\n");
  return { state: `${state}== controller\n${fixtures.fetched()}\n`, times };
}

/** The lines in which two texts differ, for an error message. */
export function differing(before: string, after: string): string[] {
  const [a, b] = [new Set(before.split("\n")), new Set(after.split("\n"))];
  return [
    ...[...a].filter((line) => !b.has(line)).map((line) => `- ${line}`),
    ...[...b].filter((line) => !a.has(line)).map((line) => `+ ${line}`),
  ];
}
