import { describe, expect, it } from "vitest";
import { type ErrorCode, errorCodes, FurrowError } from "../core/errors.ts";
import { exitCodeMeanings, exitCodeOf, exitCodeOfError, exitCodes } from "./exit-codes.ts";
import { overview } from "./words/help.ts";

const fine = { failed: [], unreachable: [], changed: false, interrupted: false, errors: [] };
const locked = new FurrowError("E_LOCKED", { what: "another run holds the host" });
const failed = new FurrowError("E_STEP", { what: "it failed" });

describe("exitCodeOf", () => {
  it.each<[string, number, Parameters<typeof exitCodeOf>[0], boolean]>([
    ["converged", 0, fine, false],
    ["changed", 0, { ...fine, changed: true }, false],
    ["changes pending", 2, { ...fine, changed: true }, true],
    ["nothing pending", 0, fine, true],
    ["failed", 1, { ...fine, changed: true, failed: ["a"], errors: [failed] }, true],
    ["failed beats unreachable", 1, { ...fine, failed: ["a"], unreachable: ["b"], errors: [failed] }, false],
    ["unreachable", 3, { ...fine, unreachable: ["b"], errors: [failed] }, false],
    ["locked", 75, { ...fine, failed: ["a"], errors: [locked] }, false],
    ["locked and failed", 1, { ...fine, failed: ["a", "b"], errors: [locked, failed] }, false],
    ["interrupted", 130, { ...fine, failed: ["a"], interrupted: true, errors: [failed] }, false],
  ])("returns the exit code for %s: %i", (_name, code, ended, pending) => {
    expect(exitCodeOf(ended, pending)).toBe(code);
  });
});

/** The error codes whose exit code is not 1. */
const others: Partial<Record<ErrorCode, number>> = {
  E_USAGE: 64,
  E_PATTERN: 64,
  E_UNREACHABLE: 3,
  E_AUTH: 3,
  E_HOST_KEY: 3,
  E_LOCKED: 75,
  E_INTERRUPTED: 130,
};

describe("exitCodeOfError", () => {
  it.each((Object.keys(errorCodes) as ErrorCode[]).map((code) => [code, others[code] ?? 1] as const))(
    "ends a command with the exit code for %s: %i",
    (code, expected) => {
      expect(exitCodeOfError(new FurrowError(code, { what: "x" }))).toBe(expected);
      expect(exitCodeMeanings.map(([number]) => number)).toContain(expected);
    },
  );

  it("is 64 if no host matches a pattern on the command line, and 1 if the pattern is in the playbook", () => {
    const pattern = new FurrowError("E_PATTERN", { what: "no host matches" });
    expect(exitCodeOfError(pattern)).toBe(64);
    expect(exitCodeOfError(pattern.at({ play: "web", playbook: "site.ts" }))).toBe(1);
    expect(exitCodeOfError(pattern.at({ source: "site.ts:3:4" }))).toBe(1);
  });

  it("is 1 for an error that is not furrow's, and the help says when each code is used", () => {
    expect(exitCodeOfError(new TypeError("x"))).toBe(1);
    expect(exitCodeMeanings.map(([code]) => code)).toEqual(Object.values(exitCodes));
    for (const [code, meaning] of exitCodeMeanings) expect(overview()).toContain(`  ${code}`.padEnd(7) + meaning);
  });
});
