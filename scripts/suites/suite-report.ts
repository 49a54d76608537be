import { existsSync, readFileSync } from "node:fs";

/** A failed test, or a file whose setup failed, with its error. */
export interface Failure {
  readonly name: string;
  /** The whole error of each attempt, including its stack; equal errors are listed once. */
  readonly messages: readonly string[];
}

/** The results of one test file. */
export interface FileReport {
  /** The file's absolute path. */
  readonly file: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  /** Full names of tests that were skipped. */
  readonly skipped: readonly string[];
  /** Tests that failed in every attempt. */
  readonly failures: readonly Failure[];
  /** Tests that failed in the first attempt and passed in a later one. */
  readonly unsteady: readonly Failure[];
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    /** In milliseconds since 1970. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Reads the file that vitest's JSON reporter writes; an empty list if vitest ended without writing it. */
export function readReport(path: string): FileReport[] {
  if (!existsSync(path)) return [];
  const report = JSON.parse(readFileSync(path, "utf8")) as VitestReport;
  return report.testResults.map(({ name, status, message, startTime, endTime, assertionResults: tests }) => {
    const failed = tests.filter((test) => test.status === "failed");
    const passed = tests.filter((test) => test.status === "passed");
    const unprepared = status === "failed" && message !== "" ? [{ name, messages: [message] }] : [];
    return {
      file: name,
      seconds: (endTime - startTime) / 1000,
      passed: passed.length,
      failed: failed.length,
      skipped: tests.filter((test) => !failed.includes(test) && !passed.includes(test)).map(({ fullName }) => fullName),
      failures: [...unprepared, ...failed.map(said)],
      unsteady: passed.filter(({ failureMessages }) => failureMessages.length > 0).map(said),
    };
  });
}

function said(test: { readonly fullName: string; readonly failureMessages: readonly string[] }): Failure {
  return { name: test.fullName, messages: [...new Set(test.failureMessages)] };
}

/** No more files than this are repeated: if many fail, the code is wrong, and not the moment. */
const mostRepeated = 4;
/** A file that took longer, in seconds, is not repeated. */
const longestRepeated = 600;

/**
 * The files to run once more, whole: a test that compares what earlier tests of its file left behind fails again if it
 * is repeated alone. Empty if too many files failed or if one took too long.
 */
export function filesToRepeat(reports: readonly FileReport[]): string[] {
  const failing = reports.filter(({ failures }) => failures.length > 0);
  const possible = failing.length <= mostRepeated && failing.every(({ seconds }) => seconds <= longestRepeated);
  return possible ? failing.map(({ file }) => file) : [];
}

/**
 * The reports after some files were repeated: a file that passed the second time counts as passed, and its failures as
 * unsteady tests, which the summary names.
 */
export function withRepeated(first: readonly FileReport[], second: readonly FileReport[]): FileReport[] {
  return first.map((report) => {
    const again = second.find(({ file }) => file === report.file);
    if (again === undefined || report.failures.length === 0) return report;
    if (again.failures.length > 0 || again.passed === 0) return report;
    return { ...again, unsteady: [...report.failures, ...report.unsteady, ...again.unsteady] };
  });
}
