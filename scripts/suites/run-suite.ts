import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { type Failure, filesToRepeat, isGood, readReport, type SuiteReport, withRepeated } from "./suite-report.ts";
import type { Suite } from "./suites.ts";

/** The result of one suite. */
export interface SuiteResult {
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  /** Full names of tests that were skipped. */
  readonly skipped: readonly string[];
  /** Tests that failed in every attempt. */
  readonly failures: readonly Failure[];
  /**
   * Tests that failed in the first attempt and passed in a later one: a bug in the test or in the code, which has to be
   * investigated.
   */
  readonly unsteady: readonly Failure[];
  readonly files: number;
  readonly seconds: number;
  /** The cases that the suite's tests report as covered (test/covered.ts). */
  readonly covered: readonly string[];
}

/** When a suite's own output is printed: immediately, to this terminal, or all together when the suite has finished. */
export type Output = "now" | "at the end";

/** Which part of a suite runs if time is short. */
export interface Sample {
  /** The time after which no further test file is started, in milliseconds since 1970. */
  readonly deadline: number;
  /** Decides the order of the files, so that different seeds leave out different files. */
  readonly seed: number;
}

/**
 * Runs one vitest project and reads its report; repeats failed tests up to `retries` times, then their whole files
 * once. A suite that yields runs at low priority. With a sample, files that have not started by its deadline are
 * skipped.
 */
export async function runSuite(
  { name: project, retries, yields }: Pick<Suite, "name" | "retries" | "yields">,
  output: Output = "now",
  sample?: Sample,
): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-suite-"));
  const notes = join(folder, "covered");
  const started = performance.now();
  const attempt = async (name: string, more: readonly string[], variables: NodeJS.ProcessEnv): Promise<Attempt> => {
    const path = join(folder, name);
    const reporters = ["--reporter=default", `--reporter=${join(import.meta.dirname, "../../test/suite-reporter.ts")}`];
    const args = ["run", "--project", project, `--retry=${retries}`, ...reporters, ...more];
    const env = { ...process.env, FURROW_COVERED: notes, FURROW_REPORT: path, ...variables };
    const ok = await succeeds("vitest", args, env, output, yields);
    return { ok, report: readReport(path) };
  };
  try {
    const first = await attempt("first.json", ...sampled(sample));
    const files = retries === 0 || first.report === undefined ? [] : filesToRepeat(first.report);
    const second = files.length === 0 ? undefined : await attempt("second.json", files, {});
    const seconds = (performance.now() - started) / 1000;
    const covered = lines(notes);
    if (first.report === undefined) return { ...resultOf(none), ok: false, seconds, covered };
    if (second?.report === undefined) return { ...resultOf(first.report), ok: first.ok, seconds, covered };
    const both = withRepeated(first.report, second.report);
    return { ...resultOf(both), ok: second.ok && isGood(both), seconds, covered };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Attempt {
  readonly ok: boolean;
  /** Undefined if vitest exited before it wrote a report. */
  readonly report: SuiteReport | undefined;
}

const none: SuiteReport = { files: [], outside: ["vitest exited before it reported its results"] };

function sampled(sample: Sample | undefined): [string[], NodeJS.ProcessEnv] {
  if (sample === undefined) return [[], {}];
  return [[`--sequence.seed=${sample.seed}`], { FURROW_DEADLINE: String(sample.deadline) }];
}

/** True if the program exits with code 0; false if it cannot be started. */
function succeeds(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: Output,
  yields = false,
): Promise<boolean> {
  const child = spawn(program, args, { env, stdio: ["inherit", ...(output === "now" ? inherited : piped)] });
  // Its child processes inherit the priority.
  if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  return new Promise((resolve) => {
    const end = (ok: boolean): void => {
      process.stdout.write(said);
      resolve(ok);
    };
    child.on("error", (error) => {
      said += `${error.message}\n`;
      end(false);
    });
    child.on("close", (code) => end(code === 0));
  });
}

const inherited = ["inherit", "inherit"] as const;
const piped = ["pipe", "pipe"] as const;

function resultOf({ files, outside }: SuiteReport): Omit<SuiteResult, "ok" | "seconds" | "covered"> {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    passed: sum(files.map(({ passed }) => passed.length)),
    failed: sum(files.map(({ failed }) => failed)),
    skipped: files.flatMap(({ skipped }) => skipped),
    failures: [
      ...files.flatMap(({ failures }) => failures),
      ...(outside.length > 0 ? [{ name: "outside the tests", messages: outside }] : []),
    ],
    unsteady: files.flatMap(({ unsteady }) => unsteady),
    files: files.length,
  };
}

function lines(file: string): string[] {
  return existsSync(file) ? [...new Set(readFileSync(file, "utf8").split("\n").filter(Boolean))] : [];
}
