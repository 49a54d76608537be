import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
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

/** A failed test, or a file whose setup failed, with its error. */
export interface Failure {
  readonly name: string;
  /** The whole error of each attempt, including its stack; equal errors are listed once. */
  readonly messages: readonly string[];
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Where a suite's own output is printed: to this terminal immediately, or all together when the suite has ended. */
export type Output = "now" | "at the end";

/** Which part of a suite runs if time is short. */
export interface Sample {
  /** No file begins later; in milliseconds since 1970. */
  readonly deadline: number;
  /** Decides the order of the files, so that different seeds leave out different files. */
  readonly seed: number;
}

/**
 * Runs one vitest project and reads its report; repeats failed tests up to `retries` times. A suite that yields runs at
 * low priority. With a sample, files that have not begun at its deadline are skipped.
 */
export async function runSuite(
  { name: project, retries, yields }: Pick<Suite, "name" | "retries" | "yields">,
  output: Output = "now",
  sample?: Sample,
): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-suite-"));
  const started = performance.now();
  try {
    const report = join(folder, "report.json");
    const notes = join(folder, "covered");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const args = ["run", "--project", project, `--retry=${retries}`, ...reporters];
    const env: NodeJS.ProcessEnv = { ...process.env, FURROW_COVERED: notes };
    if (sample !== undefined) {
      args.push("--sequence.shuffle.files", `--sequence.seed=${sample.seed}`);
      env["FURROW_DEADLINE"] = String(sample.deadline);
    }
    const ok = await succeeds("vitest", args, env, output, yields);
    const seconds = (performance.now() - started) / 1000;
    return { ...counts(report), ok, seconds, covered: lines(notes) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** True if the program exits with 0; false if it cannot be started. */
function succeeds(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: Output,
  yields = false,
): Promise<boolean> {
  const child = spawn(program, args, { env, stdio: ["inherit", ...(output === "now" ? inherited : piped)] });
  // Its own processes inherit the priority.
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

function counts(file: string): Omit<SuiteResult, "ok" | "seconds" | "covered"> {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: [], failures: [], unsteady: [], files: 0 };
  const report = JSON.parse(readFileSync(file, "utf8")) as VitestReport;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const unprepared = report.testResults.filter(({ status, message }) => status === "failed" && message !== "");
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: tests.filter(({ status }) => status !== "passed" && status !== "failed").map(({ fullName }) => fullName),
    failures: [
      ...unprepared.map(({ name, message }) => ({ name, messages: [message] })),
      ...tests.filter(({ status }) => status === "failed").map(said),
    ],
    unsteady: tests
      .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
      .map(said),
    files: report.testResults.length,
  };
}

function said(test: { readonly fullName: string; readonly failureMessages: readonly string[] }): Failure {
  return { name: test.fullName, messages: [...new Set(test.failureMessages)] };
}

function lines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}
