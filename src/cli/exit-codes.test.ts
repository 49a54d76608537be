import { describe, expect, it } from "vitest";
import { FurrowError } from "../core/errors.ts";
import { exitCodeOf, exitCodeOfError } from "./exit-codes.ts";

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

describe("exitCodeOfError", () => {
  it("follows the error code", () => {
    const codes = ["E_USAGE", "E_LOCKED", "E_INTERRUPTED", "E_HOST_KEY", "E_VARS"] as const;
    expect(codes.map((code) => exitCodeOfError(new FurrowError(code, { what: "x" })))).toEqual([64, 75, 130, 3, 1]);
    expect(exitCodeOfError(new TypeError("x"))).toBe(1);
  });
});
