import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTypeCheck } from "./type-check.ts";

const playbook = resolve(import.meta.dirname, "../../../playbooks/web.ts");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-types-"));
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test(
  "finds furrow for an inventory outside the playbook's project, and keeps the compiler's state private",
  { timeout: 600_000 },
  async () => {
    const inventory = join(folder, "inventory.ts");
    writeFileSync(
      inventory,
      'import { inventory } from "furrow";\nexport default inventory({ hosts: { web1: { address: "192.0.2.1" } } });\n',
    );
    const notices: string[] = [];
    expect(await startTypeCheck([playbook, inventory], (text) => notices.push(text)).error).toBeUndefined();
    expect(notices).toEqual([]);
    const state = join(folder, "state");
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name).toSorted()).toEqual(["tsbuildinfo.json", "tsconfig.json"]);
    const open = files.filter((file) => (statSync(join(file.parentPath, file.name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  },
);

const compilers = resolve(import.meta.dirname, "../../../node_modules");

/** Creates a project with a playbook that has one type error, and returns the playbook's path. */
function project(name: string, files: Readonly<Record<string, string>>, hasCompiler = true): string {
  const root = join(folder, name);
  const all = { "site.ts": 'export const length: number = "x".lenght;\n', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, "node_modules"), { recursive: true });
  for (const part of hasCompiler ? ["typescript", "@typescript"] : [])
    symlinkSync(join(compilers, part), join(root, "node_modules", part));
  return join(root, "site.ts");
}

const settings = (options: object): string =>
  JSON.stringify({ compilerOptions: { strict: true, types: [], ...options } });

test.each([
  { named: "noCheck", options: { noCheck: true } },
  { named: "outDir", options: { outDir: "dist" } },
  { named: "rootDir", options: { rootDir: "lib" } },
])("checks types even if the project's settings have $named", { timeout: 600_000 }, async ({ named, options }) => {
  const path = project(named, { "tsconfig.json": settings(options) });
  const notices: string[] = [];
  const error = await startTypeCheck([path], (text) => notices.push(text)).error;
  expect(notices).toEqual([]);
  expect(JSON.stringify(error?.failure)).toContain("lenght");
});

test(
  "says that types are not checked if the compiler cannot parse a package's declarations",
  { timeout: 600_000 },
  async () => {
    const path = project("syntax", {
      "site.ts": 'import { x } from "broken";\nexport const length: number = x.lenght;\n',
      "node_modules/broken/package.json": '{ "name": "broken", "types": "index.d.ts" }',
      "node_modules/broken/index.d.ts": "export declare const x: %%%;\n",
    });
    const notices: string[] = [];
    await startTypeCheck([path], (text) => notices.push(text)).error;
    expect(notices.join("\n")).toMatch(/^types are not checked: .*broken\/index\.d\.ts:1: /);
  },
);

test("ends even if the compiler ignores SIGTERM", { timeout: 600_000 }, async () => {
  const path = project("deaf", { "node_modules/typescript/package.json": '{ "version": "5.0.0" }' }, false);
  const tsc = join(path, "../node_modules/typescript/bin/tsc");
  mkdirSync(join(tsc, ".."));
  writeFileSync(tsc, 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);\n');
  chmodSync(tsc, 0o755);
  const check = startTypeCheck([path], () => {});
  await new Promise((done) => setTimeout(done, 1000));
  check.stop();
  expect(await check.error).toBeUndefined();
});

test("checks each playbook with the compiler and settings of its own project", { timeout: 600_000 }, async () => {
  const bare = project("without-compiler", {}, false);
  const other = project("with-compiler", { "tsconfig.json": settings({}) });
  for (const paths of [
    [bare, other],
    [other, bare],
  ]) {
    const error = await startTypeCheck(paths, () => {}).error;
    expect(JSON.stringify(error?.failure)).toContain("lenght");
  }
});

test(
  "refuses type errors even if the state folder cannot be used, and leaves no temporary folder",
  { timeout: 600_000 },
  async () => {
    const playbook = project("no-state", {});
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    writeFileSync(join(folder, "a-file"), "");
    vi.stubEnv("XDG_STATE_HOME", join(folder, "a-file"));
    vi.stubEnv("TMPDIR", temporary);
    const notices: string[] = [];
    const listen = process.listenerCount("exit");
    const error = await startTypeCheck([playbook], (text) => notices.push(text)).error;
    expect(error?.code).toBe("E_TYPES");
    expect(error?.failure.where?.source).toBe(`${playbook}:1:35`);
    expect(notices).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
    expect(process.listenerCount("exit")).toBe(listen);
    vi.stubEnv("TMPDIR", join(folder, "a-file"));
    const failed = await startTypeCheck([playbook], (text) => notices.push(text)).error;
    expect(failed?.code).toBe("E_TYPES");
    expect(failed?.failure.what).toBe("the types cannot be checked");
    expect(failed?.failure.hint).toContain("--no-types");
    vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  },
);

test(
  "says nothing about the types of a file that does not exist: the loader reports it",
  { timeout: 600_000 },
  async () => {
    const missing = join(dirname(project("missing", {})), "nope.ts");
    const notices: string[] = [];
    expect(await startTypeCheck([missing], (text) => notices.push(text), { isWanted: true }).error).toBeUndefined();
    expect(notices).toEqual([]);
  },
);

test("says nothing about the types of a FIFO, which the compiler would read forever", async () => {
  const path = join(dirname(project("fifo", {})), "pipe.ts");
  spawnSync("mkfifo", [path]);
  const notices: string[] = [];
  expect(await startTypeCheck([path], (text) => notices.push(text)).error).toBeUndefined();
  expect(notices).toEqual([]);
});
