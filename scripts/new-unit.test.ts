import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeUnit } from "./new-unit.ts";
import { makeSandbox } from "./sandbox.ts";

describe("npm run new", () => {
  let root: string;

  beforeAll(() => {
    root = makeSandbox(["tasks/index.ts", "tasks/file", "src/facts/system/quote.ts"], []);
    makeUnit(root, "task", "fileLine");
    makeUnit(root, "task", "import");
    makeUnit(root, "role", "web-host");
    makeUnit(root, "kind", "system/up-time");
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it("names files and exports after the unit", () => {
    expect(readFileSync(join(root, "tasks/file-line/file-line.ts"), "utf8")).toMatch(
      /export const fileLine = task\(\{\n  name: "fileLine",/,
    );
    expect(readFileSync(join(root, "tasks/import/import.ts"), "utf8")).toMatch(
      /export const importTask = task\(\{\n  name: "import",/,
    );
    expect(readFileSync(join(root, "roles/web-host/role.ts"), "utf8")).toContain("export const webHost = role(");
    expect(readFileSync(join(root, "src/facts/system/up-time.ts"), "utf8")).toMatch(
      /export const upTimeKind = defineKind<UpTime>\(\{\n  name: "upTime",/,
    );
  });

  it("refuses a name that is taken or invalid", () => {
    expect(() => makeUnit(root, "task", "file-line")).toThrow("tasks/file-line already exists");
    expect(() => makeUnit(root, "task", "File Line")).toThrow('"File Line" is not a valid name');
    expect(() => makeUnit(root, "role", "../x")).toThrow('"../x" is not a valid name');
    expect(() => makeUnit(root, "kind", "up-time")).toThrow('write it like "system/up-time"');
    expect(() => makeUnit(root, "kind", "nowhere/up-time")).toThrow("there is no folder src/facts/nowhere");
    expect(() => makeUnit(root, "kind", "system/up-time")).toThrow("src/facts/system/up-time.ts already exists");
  });
});
