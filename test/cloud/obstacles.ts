import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { covered } from "../covered.ts";
import { furrow } from "./furrow.ts";

/** Something that stands in the way of a provision, and what furrow says of it. */
export interface Obstacle {
  readonly title: string;
  /** Of the environment; empty for a variable that is not there. */
  readonly env?: Readonly<Record<string, string>>;
  /** `NAME=VALUE`, for `--var`. */
  readonly vars?: readonly string[];
  /** Brings it about at the fake. */
  readonly before?: () => void;
  /** What the cloud says or furrow has found. */
  readonly says: RegExp;
  readonly hint: RegExp;
  /** The call that meets it; none where it is met before any call. */
  readonly call?: RegExp;
  /** How often that may be made with the same words; default 1: what will not pass is not tried again. */
  readonly times?: number;
}

/** What came of it. */
export interface Met {
  readonly code: number;
  /** Errors of tasks, in order. */
  readonly errors: readonly { readonly what: string; readonly current?: string; readonly hint?: string }[];
  /** How often the call of the obstacle was made with the same words. */
  readonly times: number;
}

/**
 * Runs a provision as a person would, and notes what was said and how long it took for the suite's summary. The time is
 * not asserted: it is this machine's; how often the cloud is asked is.
 *
 * @param cloud what the summary calls it
 * @param calls what the fake was asked, each call with all its words in one text
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
  // Nobody's credentials are to be found, and a name that nobody knows is known to be none at once.
  const here = { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, RES_OPTIONS: "timeout:1 attempts:1" };
  for (const [name, value] of Object.entries({ ...here, ...env })) vi.stubEnv(name, value === "" ? undefined : value);
  before?.();
  const began = performance.now();
  const flags = ["-i", "local", "--wait-lock", "300", "--json", ...vars.flatMap((one) => ["--var", one])];
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
