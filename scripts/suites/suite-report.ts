import { existsSync, readFileSync } from "node:fs";

/** A failed test, failed hooks or a failed file, with the error. */
export interface Failure {
  readonly name: string;
  /** The complete error of each attempt, including its stack; equal errors are listed once. */
  readonly messages: readonly string[];
}

/** The results of one test file. */
export interface FileReport {
  /** The file's absolute path. */
  readonly file: string;
  readonly seconds: number;
  /** Full names of tests, as in `skipped`. */
  readonly passed: readonly string[];
  readonly skipped: readonly string[];
  /** The number of tests that failed in every attempt. */
  readonly failed: number;
  /** The tests that failed in every attempt, and hooks that failed. */
  readonly failures: readonly Failure[];
  /** Tests that failed in the first attempt and passed in a later one. */
  readonly unsteady: readonly Failure[];
}

/** The results of one run of vitest. */
export interface SuiteReport {
  readonly files: readonly FileReport[];
  /** Errors outside tests and hooks: unhandled rejections, and workers that were killed. */
  readonly outside: readonly string[];
}

/** Reads the file that the reporter has written; undefined if vitest exited before it wrote the file. */
export function readReport(path: string): SuiteReport | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as SuiteReport) : undefined;
}

/** At most this many files are repeated: if more fail, the cause is the code and not bad luck. */
const mostRepeated = 4;
/** A file that took longer, in seconds, is not repeated. */
const longestRepeated = 600;

/**
 * The files to run once more, with all their tests: a test that needs what earlier tests of its file left behind fails
 * again if it is repeated alone. Empty if too many files failed, if one took too long, or if there were errors outside
 * tests, which no second run could explain.
 */
export function filesToRepeat({ files, outside }: SuiteReport): string[] {
  const failing = files.filter(({ failures }) => failures.length > 0);
  const possible = failing.length <= mostRepeated && failing.every(({ seconds }) => seconds <= longestRepeated);
  return possible && outside.length === 0 ? failing.map(({ file }) => file) : [];
}

/**
 * The reports after some files were repeated. A file counts as passed if all its tests passed the second time, except
 * skipped ones; its failures then count as flaky tests, which the summary names.
 */
export function withRepeated(first: SuiteReport, second: SuiteReport): SuiteReport {
  const files = first.files.map((report) => {
    const again = second.files.find(({ file }) => file === report.file);
    if (again === undefined || report.failures.length === 0 || !isWhole(report, again)) return report;
    return { ...again, unsteady: [...report.failures, ...report.unsteady, ...again.unsteady] };
  });
  return { files, outside: [...first.outside, ...second.outside] };
}

/** True if nothing failed in the second run and it ran at least as many tests as the first one. */
function isWhole(first: FileReport, again: FileReport): boolean {
  const passed = new Set(again.passed);
  const hadToPass = [...first.passed, ...first.failures.map(({ name }) => name)].filter((name) => isTest(name, first));
  const isLess = again.passed.length < first.passed.length + first.failed;
  return again.failures.length === 0 && !isLess && hadToPass.every((name) => passed.has(name));
}

/** True for the name of a test; hooks and files that failed have names too. */
function isTest(name: string, { file }: FileReport): boolean {
  return name !== file && !name.startsWith("hooks of ");
}

/** True if no failures, and no errors outside tests, remain after the first run and its repetition. */
export function isGood({ files, outside }: SuiteReport): boolean {
  return outside.length === 0 && files.every(({ failures }) => failures.length === 0);
}
