import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { settleSecrets } from "../vars/secrets.ts";
import { type LastRun, newestRunIn, readLastRun, writeLastRun } from "./last-run.ts";

const place = { playbook: "site.ts", inventories: ["hosts.ts"] };
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-last-run-"));
  vi.stubEnv("XDG_STATE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function record(run: string, hosts: readonly string[], failed: readonly string[]): void {
  const start = { run, playbook: "site.ts", folder, ended: true };
  writeLastRun(place, { ...start, failed, unfinished: failed } satisfies LastRun, hosts);
}

test("a rerun for one failed host does not forget the others", () => {
  record("1", ["a", "b", "c"], ["a", "b"]);
  record("2", ["a"], []);
  expect(readLastRun(place)).toMatchObject({ run: "2", failed: ["b"], unfinished: ["b"] });
});

test("a damaged record is an error, and not the same as no record; the next run replaces it", () => {
  record("1", ["a", "b"], ["a"]);
  const [name = ""] = readdirSync(join(folder, "furrow/last-runs"));
  writeFileSync(join(folder, "furrow/last-runs", name), '{"run":"1","fai');
  expect(() => readLastRun(place)).toThrow("the record of the last run cannot be read");
  expect(() => newestRunIn(folder)).toThrow("the record of the last run cannot be read");
  record("2", ["a", "b"], ["b"]);
  expect(readLastRun(place)).toMatchObject({ run: "2", failed: ["b"] });
});

test("two overlapping runs keep each other's failed hosts", () => {
  record("1", ["a", "b"], []);
  record("2", ["c", "d"], ["c"]);
  record("1", ["a", "b"], ["b"]);
  record("2", ["c", "d"], ["c", "d"]);
  expect(readLastRun(place)?.failed.toSorted()).toEqual(["b", "c", "d"]);
});

test("a lock left by a killed run does not block the next run", () => {
  record("1", ["a"], ["a"]);
  const [file = ""] = spawnSync("find", [folder, "-name", "*.json"], { encoding: "utf8" }).stdout.split("\n");
  spawnSync("touch", ["-d", "1 hour ago", `${file}.lock`]);
  record("2", ["b"], ["b"]);
  expect(readLastRun(place)?.failed).toEqual(["a", "b"]);
});

test("a file in place of a state folder is reported as an expected error", () => {
  mkdirSync(join(folder, "furrow"));
  writeFileSync(join(folder, "furrow/last-runs"), "");
  expect(() => record("1", ["a"], [])).toThrow(expect.objectContaining({ code: "E_FILE" }));
  expect(readLastRun(place)).toBeUndefined();
});

test("a state folder that cannot be created does not make a run hang, and a run without secrets continues with a notice", async () => {
  vi.stubEnv("XDG_STATE_HOME", "/proc/nope");
  expect(() => record("1", ["a"], [])).toThrow(expect.objectContaining({ code: "E_FILE" }));
  const warned: string[] = [];
  await settleSecrets({ mode: "apply", warn: (text) => void warned.push(text) });
  expect(warned).toEqual([expect.stringContaining("continues without it")]);
});
