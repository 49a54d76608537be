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
  readonly files: number;
  readonly seconds: number;
  /** What its tests say they went through (test/covered.ts). */
  readonly covered: readonly string[];
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Runs one vitest project with its output on this terminal and reads its report. */
export function runSuite(project: string): SuiteResult {
  const folder = mkdtempSync(join(tmpdir(), "furrow-suite-"));
  const started = performance.now();
  try {
    const report = join(folder, "report.json");
    const notes = join(folder, "covered");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const { status } = spawnSync("vitest", ["run", "--project", project, ...reporters], {
      stdio: "inherit",
      env: { ...process.env, FURROW_COVERED: notes },
    });
    const seconds = (performance.now() - started) / 1000;
    return { ...counts(report), ok: status === 0, seconds, covered: lines(notes) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function counts(file: string): Pick<SuiteResult, "passed" | "failed" | "skipped" | "files"> {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: [], files: 0 };
  const report = JSON.parse(readFileSync(file, "utf8")) as VitestReport;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: tests.filter(({ status }) => status !== "passed" && status !== "failed").map(({ fullName }) => fullName),
    files: report.testResults.length,
  };
}

function lines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}
