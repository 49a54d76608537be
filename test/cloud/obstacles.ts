import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { covered } from "../covered.ts";
import { furrow } from "./furrow.ts";

/** A reason why a provisioning run fails, and what furrow reports about it. */
export interface Obstacle {
  readonly title: string;
  /** Environment variables; an empty string removes one. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of `--var`, each as `NAME=VALUE`. */
  readonly vars?: readonly string[];
  /** Creates the obstacle in the fake. */
  readonly before?: () => void;
  /** The cloud's error, or furrow's own finding. */
  readonly says: RegExp;
  readonly hint: RegExp;
  /** The call that fails; absent if the run fails before any call. */
  readonly call?: RegExp;
  /**
   * How many times that call may be made with the same params. Default: 1, because a call that cannot succeed must not
   * be retried.
   */
  readonly times?: number;
}

/** The result of a provisioning run that met an obstacle. */
export interface Met {
  readonly code: number;
  /** The errors of all tasks, in order. */
  readonly errors: readonly { readonly what: string; readonly current?: string; readonly hint?: string }[];
  /** How many times the obstacle's call was made with the same params. */
  readonly times: number;
}

/**
 * Runs the provisioning playbook, as a user would, and records the messages and the duration for the suite's summary.
 * The number of calls to the cloud is asserted, but not the duration, because it depends on this machine.
 *
 * @param cloud its name in the summary
 * @param calls the calls that the fake received, each with all its params in one string
 */
export async function meet(
  cloud: string,
  words: readonly string[],
  obstacle: Obstacle,
  calls: () => readonly string[],
): Promise<Met> {
  const { title, env = {}, vars = [], before, call } = obstacle;
  const home = mkdtempSync(join(tmpdir(), "furrow-obstacle-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true, force: true });
  });
  // In this environment, no credentials are found, and an unknown name immediately fails to resolve.
  const here = { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, RES_OPTIONS: "timeout:1 attempts:1" };
  for (const [name, value] of Object.entries({ ...here, ...env })) vi.stubEnv(name, value === "" ? undefined : value);
  before?.();
  const began = performance.now();
  const flags = ["-i", "local", "--no-types", "--wait-lock", "300", "--json", ...vars.flatMap((one) => ["--var", one])];
  const { code, stdout } = await furrow("run", ...words, ...flags);
  const seconds = (performance.now() - began) / 1000;
  const errors = stdout
    .split("\n")
    .filter((line) => line.includes('"type":"taskFinished"'))
    .map((line) => JSON.parse(line) as { readonly error?: Met["errors"][number] })
    .flatMap(({ error }) => error ?? []);
  const times = call === undefined ? calls().length : mostOften(calls().filter((one) => call.test(one)));
  const [said] = errors;
  covered(
    `${cloud}, ${title}: ${seconds.toFixed(1)} s, asked ${times} ${times === 1 ? "time" : "times"}: ${said?.what}. ${said?.hint}`,
  );
  return { code, errors, times };
}

function mostOften(calls: readonly string[]): number {
  const count = new Map<string, number>();
  for (const call of calls) count.set(call, (count.get(call) ?? 0) + 1);
  return Math.max(0, ...count.values());
}
