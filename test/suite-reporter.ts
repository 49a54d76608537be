import { writeFileSync } from "node:fs";
import type { SerializedError } from "vitest";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";
import type { Failure, FileReport, SuiteReport } from "../scripts/suites/suite-report.ts";

/**
 * Writes a {@link SuiteReport}, with the results of all test files, to the path in FURROW_REPORT. vitest's own JSON
 * reporter leaves out errors of nested hooks, errors outside tests, and workers that were killed.
 */
export default class SuiteReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env["FURROW_REPORT"];
    if (path === undefined) throw new Error("FURROW_REPORT names no file");
    const report: SuiteReport = {
      files: modules.map(fileReport),
      outside: [...new Set(unhandled.map(textOf))],
    };
    writeFileSync(path, JSON.stringify(report));
  }
}

function fileReport(module: TestModule): FileReport {
  const tests = [...module.children.allTests()];
  const inState = (state: string): TestCase[] => tests.filter((test) => test.result().state === state);
  const [passed, failed, skipped] = [inState("passed"), inState("failed"), inState("skipped")];
  const hooks = [...module.children.allSuites()].flatMap(hookFailures);
  const own = module.errors();
  const unended = inState("pending").map(({ fullName }) => ({ name: fullName, messages: ["it has not ended"] }));
  return {
    file: module.moduleId,
    seconds: (module.diagnostic().duration + module.diagnostic().setupDuration) / 1000,
    passed: passed.map(({ fullName }) => fullName),
    skipped: skipped.map(({ fullName }) => fullName),
    failed: failed.length + unended.length,
    failures: [
      ...(own.length > 0 ? [{ name: module.moduleId, messages: messagesOf(own) }] : []),
      ...hooks,
      ...failed.map(failureOf),
      ...unended,
    ],
    unsteady: passed.filter((test) => (test.result().errors ?? []).length > 0).map(failureOf),
  };
}

function hookFailures(suite: TestSuite): Failure[] {
  const errors = suite.errors();
  return errors.length === 0 ? [] : [{ name: `hooks of ${suite.fullName}`, messages: messagesOf(errors) }];
}

function failureOf(test: TestCase): Failure {
  return { name: test.fullName, messages: messagesOf(test.result().errors ?? []) };
}

function messagesOf(errors: readonly SerializedError[]): string[] {
  return [...new Set(errors.map(textOf))];
}

function textOf({ message, stack }: SerializedError): string {
  return stack?.includes(message) === true ? stack : [message, stack].filter(Boolean).join("\n");
}
