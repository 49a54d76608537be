import { expect, it } from "vitest";
import { type FileReport, filesToRepeat, isGood, type SuiteReport, withRepeated } from "./suite-report.ts";

const good: FileReport = {
  file: "/a",
  seconds: 2,
  passed: ["one", "two"],
  skipped: [],
  failed: 0,
  failures: [],
  unsteady: [],
};
const page = { name: "three", messages: ["Error: differs"] };
const bad: FileReport = { ...good, file: "/b", failed: 1, failures: [page] };
const again: FileReport = { ...good, file: "/b", passed: ["one", "two", "three"] };
const report = (files: readonly FileReport[], ...outside: string[]): SuiteReport => ({ files, outside });

it("repeats the files that failed, unless there are many of them, one of them is slow, or something failed outside the tests", () => {
  expect(filesToRepeat(report([good, bad]))).toEqual(["/b"]);
  expect(filesToRepeat(report([good]))).toEqual([]);
  expect(filesToRepeat(report(Array.from({ length: 5 }, () => bad)))).toEqual([]);
  expect(filesToRepeat(report([bad, { ...bad, file: "/c", seconds: 900 }]))).toEqual([]);
  expect(filesToRepeat(report([bad], "a worker was killed"))).toEqual([]);
});

it("names the failures of a file that passed when it was repeated", () => {
  const both = withRepeated(report([good, bad]), report([again]));
  expect(both.files).toEqual([good, { ...again, unsteady: [page] }]);
  expect(isGood(both)).toBe(true);
});

it("keeps the failures of a file that failed again, or ran fewer tests the second time", () => {
  const hooks = { ...good, file: "/b", passed: ["one"], failures: [{ name: "hooks of suite", messages: ["no"] }] };
  for (const second of [
    [bad],
    [{ ...again, passed: ["one", "two"], skipped: ["three"] }],
    [{ ...again, passed: ["one", "two", "four"] }],
    [{ ...again, passed: [] }],
    [],
  ]) {
    const both = withRepeated(report([good, bad]), report(second));
    expect(both.files).toEqual([good, bad]);
    expect(isGood(both)).toBe(false);
  }
  expect(isGood(withRepeated(report([hooks]), report([{ ...hooks, passed: [] }])))).toBe(false);
});

it("does not report success if errors occurred outside the tests in either run", () => {
  expect(isGood(withRepeated(report([bad]), report([again], "a rejection")))).toBe(false);
  expect(isGood(report([good], "a rejection"))).toBe(false);
});
