import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type FileReport, filesToRepeat, readReport, withRepeated } from "./suite-report.ts";

const good: FileReport = { file: "/a", seconds: 2, passed: 3, failed: 0, skipped: [], failures: [], unsteady: [] };
const page = { name: "the page matches", messages: ["Error: differs"] };
const bad: FileReport = { ...good, file: "/b", passed: 2, failed: 1, failures: [page] };

it("reads passed, failed, skipped and unsteady tests, and files whose setup failed", () => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-report-"));
  try {
    const path = join(folder, "report.json");
    const test = (status: string, fullName: string, ...failureMessages: string[]): object => ({
      status,
      fullName,
      failureMessages,
    });
    const assertionResults = [
      test("passed", "one"),
      test("passed", "two", "late", "late"),
      test("failed", "three", "no"),
      test("skipped", "four"),
    ];
    const times = { startTime: 1000, endTime: 3500 };
    const testResults = [
      { name: "/a", status: "failed", message: "", ...times, assertionResults },
      { name: "/b", status: "failed", message: "no sshd", ...times, assertionResults: [] },
    ];
    writeFileSync(path, JSON.stringify({ testResults }));
    expect(readReport(path)).toEqual([
      {
        file: "/a",
        seconds: 2.5,
        passed: 2,
        failed: 1,
        skipped: ["four"],
        failures: [{ name: "three", messages: ["no"] }],
        unsteady: [{ name: "two", messages: ["late"] }],
      },
      {
        file: "/b",
        seconds: 2.5,
        passed: 0,
        failed: 0,
        skipped: [],
        failures: [{ name: "/b", messages: ["no sshd"] }],
        unsteady: [],
      },
    ]);
    expect(readReport(join(folder, "none.json"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("repeats the files that failed, unless they are many or one is long", () => {
  expect(filesToRepeat([good, bad])).toEqual(["/b"]);
  expect(filesToRepeat([good])).toEqual([]);
  expect(filesToRepeat(Array.from({ length: 5 }, () => bad))).toEqual([]);
  expect(filesToRepeat([bad, { ...bad, file: "/c", seconds: 900 }])).toEqual([]);
});

it("names the failures of a file that passed when it was repeated", () => {
  const again = { ...good, file: "/b", passed: 3 };
  expect(withRepeated([good, bad], [again])).toEqual([good, { ...again, unsteady: [page] }]);
});

it("keeps the failures of a file that failed again, or ran no test", () => {
  expect(withRepeated([good, bad], [bad])).toEqual([good, bad]);
  expect(withRepeated([good, bad], [{ ...good, file: "/b", passed: 0, skipped: ["the page matches"] }])).toEqual([
    good,
    bad,
  ]);
  expect(withRepeated([good, bad], [])).toEqual([good, bad]);
});
