import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { freshIndex } from "../../src/facts/catalogue.ts";
import { explain } from "../../src/testing/explain.ts";
import { packageIndex } from "./package-index.ts";

const manager = { name: "zypper" } as const;

describe("packageIndex", () => {
  test("leaves a fresh index alone", () => {
    expect(explain(packageIndex({}), { manager, index: { ...freshIndex, ageMinutes: 59 } }).steps).toEqual([]);
  });

  test.each([
    { differs: "filled", index: { ...freshIndex, filled: false } },
    { differs: "outdated", index: { ...freshIndex, outdated: true } },
    { differs: "ageMinutes", index: { ...freshIndex, ageMinutes: 60 } },
  ])("fetches an index whose state differs: $differs", ({ differs, index }) => {
    const { change, described } = explain(packageIndex({}), { manager, index });
    expect(change).toEqual({ "packageIndex:host": [differs] });
    expect(described).toEqual(["fetch the package index with zypper"]);
  });

  test("uses the given package manager, and refuses a host without a package manager", () => {
    const old = { ...freshIndex, ageMinutes: 600 };
    const given = explain(packageIndex({ manager: "dnf" }), { manager: absent, index: old });
    expect(given.described).toEqual(["fetch the package index with dnf"]);
    expect(given.facts).toContain("packageIndex:dnf");
    expect(explain(packageIndex({}), { manager: absent, index: old }).refusal?.code).toBe("no-package-manager");
  });

  test("refuses an age so small that a rerun would never converge", () => {
    expect(() => explain(packageIndex({ maxAgeSeconds: 0 }), { manager, index: freshIndex })).toThrow(/maxAgeSeconds/);
  });
});
