import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What one suite came to. */
export interface SuiteResult {
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  /** Full names of tests that did not run. */
  readonly skipped: readonly string[];
  /** What failed at every try, with what it said first. */
  readonly failures: readonly Failure[];
  /** What failed at its first try and passed at the next: a fault of the test or of the code, to be looked into. */
  readonly unsteady: readonly Failure[];
  readonly files: number;
  readonly seconds: number;
  /** What its tests say they went through (test/covered.ts). */
  readonly covered: readonly string[];
}

/** A test, or a file whose preparation failed, and what it said. */
export interface Failure {
  readonly name: string;
  /** The whole error, its stack included. */
  readonly message: string;
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

/** Runs one vitest project with its output on this terminal and reads its report; what fails is tried `retries` times more. */
export function runSuite(project: string, retries = 0): SuiteResult {
  const folder = mkdtempSync(join(tmpdir(), "furrow-suite-"));
  const started = performance.now();
  try {
    const report = join(folder, "report.json");
    const notes = join(folder, "covered");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const { status } = spawnSync("vitest", ["run", "--project", project, `--retry=${retries}`, ...reporters], {
      stdio: "inherit",
      env: { ...process.env, FURROW_COVERED: notes },
    });
    const seconds = (performance.now() - started) / 1000;
    return { ...counts(report), ok: status === 0, seconds, covered: lines(notes) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
      ...unprepared.map(({ name, message }) => ({ name, message })),
      ...tests.filter(({ status }) => status === "failed").map(said),
    ],
    unsteady: tests
      .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
      .map(said),
    files: report.testResults.length,
  };
}

function said(test: { readonly fullName: string; readonly failureMessages: readonly string[] }): Failure {
  return { name: test.fullName, message: test.failureMessages[0] ?? "" };
}

function lines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}
