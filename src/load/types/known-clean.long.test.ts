import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTypeCheck } from "./type-check.ts";

const installed = resolve(import.meta.dirname, "../../../node_modules");
const folder = mkdtempSync(join(tmpdir(), "furrow-known-clean-"));

beforeAll(() => vi.stubEnv("XDG_STATE_HOME", join(folder, "state")));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Calls the real compiler, counts its runs, and runs `after.js` afterwards. */
const countingCompiler = `
const { spawnSync } = require("node:child_process");
const { appendFileSync, existsSync } = require("node:fs");
appendFileSync(__dirname + "/runs", "run\\n");
const { status } = spawnSync(process.execPath, [${JSON.stringify(join(installed, "typescript/bin/tsc"))}, ...process.argv.slice(2)], { stdio: "inherit" });
if (existsSync(__dirname + "/after.js")) require("./after.js");
process.exitCode = status;
`;

// With a small library, each of the many compiler runs is short.
const options = { strict: true, module: "nodenext", target: "es2024", lib: ["es2015"], skipLibCheck: true, types: [] };
const files = {
  "package.json": '{ "type": "module" }',
  "base.json": JSON.stringify({ compilerOptions: options }),
  "tsconfig.json": JSON.stringify({ extends: "./base.json" }),
  "site.ts":
    'import { port } from "./roles/web.js";\nimport { size } from "sizes";\nexport const sum: number = port + size;\n',
  "roles/web.js": "export const port = 80;\n",
  "../node_modules/sizes/package.json":
    '{ "name": "sizes", "type": "module", "types": "index.d.ts", "main": "index.js" }',
  "../node_modules/sizes/index.d.ts": "export declare const size: number;\n",
  "../node_modules/sizes/index.js": "export const size = 1;\n",
  "node_modules/typescript/package.json": '{ "version": "7.0.2" }',
  "node_modules/typescript/bin/tsc": countingCompiler,
  "node_modules/typescript/bin/package.json": '{ "type": "commonjs" }',
};

let count = 0;

function project(): string {
  const root = join(folder, `p${(count += 1)}`, "site");
  for (const [path, text] of Object.entries(files)) write(root, path, text);
  return root;
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

interface Checked {
  readonly error: string | undefined;
  readonly notices: readonly string[];
  /** The number of times that the compiler has run in this project so far. */
  readonly runs: number;
}

async function check(root: string): Promise<Checked> {
  const notices: string[] = [];
  const error = await startTypeCheck([join(root, "site.ts")], (text) => notices.push(text)).error;
  const runs = readFileSync(join(root, "node_modules/typescript/bin/runs"), "utf8").split("\n").length - 1;
  return { error: error && JSON.stringify(error.failure), notices, runs };
}

const clean = { error: undefined, notices: [] };

test("starts no compiler if nothing has changed since a check without errors", { timeout: 600_000 }, async () => {
  const root = project();
  // The first run shows which files the program consists of; the second shows that they have not changed since.
  expect([await check(root), await check(root)]).toEqual([
    { ...clean, runs: 1 },
    { ...clean, runs: 2 },
  ]);
  write(root, "README.md", "Not a module.\n");
  expect([await check(root), await check(root)]).toEqual([
    { ...clean, runs: 2 },
    { ...clean, runs: 2 },
  ]);
});

/** Replaces some text with text of the same length, and restores the timestamps that a program can set. */
function alter(root: string, path: string, from: string, to: string): void {
  const full = join(root, path);
  const { atime, mtime } = statSync(full);
  const text = readFileSync(full, "utf8");
  expect(text).toContain(from);
  writeFileSync(full, text.replace(from, to));
  utimesSync(full, atime, mtime);
}

const wrongPort = 'export const port: string = "80";\n';

const changes: Readonly<Record<string, (root: string) => void>> = {
  "the playbook": (root) => alter(root, "site.ts", "number", "string"),
  "an imported file": (root) => alter(root, "roles/web.js", " 80;", '"x";'),
  "an imported file, by a rename": (root) => {
    write(root, "roles/new.js", 'export const port = "x";\n');
    renameSync(join(root, "roles/new.js"), join(root, "roles/web.js"));
  },
  "an imported file, by its removal": (root) => rmSync(join(root, "roles/web.js")),
  "the folder of an imported file, by its removal": (root) => rmSync(join(root, "roles"), { recursive: true }),
  "the file that an import leads to: web.ts takes the place of web.js": (root) =>
    write(root, "roles/web.ts", wrongPort),
  "a package": (root) => alter(root, "../node_modules/sizes/index.d.ts", "number", "string"),
  "a package's entry point": (root) => {
    write(root, "../node_modules/sizes/text.d.ts", "export declare const size: string;\n");
    alter(root, "../node_modules/sizes/package.json", "index.d.ts", "./text.d.ts");
  },
  "the package that an import leads to: a nearer one is installed": (root) => {
    write(root, "node_modules/sizes/package.json", files["../node_modules/sizes/package.json"]);
    write(root, "node_modules/sizes/index.d.ts", "export declare const size: string;\n");
  },
  "a package that a symlink leads to": (root) => {
    write(root, "../linked/package.json", files["../node_modules/sizes/package.json"]);
    write(root, "../linked/index.d.ts", "export declare const size: string;\n");
    rmSync(join(root, "../node_modules/sizes"), { recursive: true });
    symlinkSync("../linked", join(root, "../node_modules/sizes"));
  },
  "the settings": (root) => alter(root, "tsconfig.json", '"./base.json"', '"./bose.json"'),
  "settings that are extended": (root) => alter(root, "base.json", '"es2024"', '"es9999"'),
};

test.each(Object.entries(changes))(
  "checks types again after a change to %s",
  { timeout: 600_000 },
  async (_, change) => {
    const root = project();
    await check(root);
    await check(root);
    expect((await check(root)).runs).toBe(2);
    change(root);
    const after = await check(root);
    expect(after.runs).toBe(3);
    expect(after.error ?? after.notices[0]).toBeDefined();
    expect((await check(root)).runs).toBe(4);
  },
);

test("checks types again if a file changed while the compiler ran", { timeout: 600_000 }, async () => {
  const root = project();
  await check(root);
  const path = join(root, "roles/web.js");
  const change = `require("node:fs").writeFileSync(${JSON.stringify(path)}, 'export const port = "x";\\n');\n`;
  write(root, "node_modules/typescript/bin/after.js", change);
  expect(await check(root)).toEqual({ ...clean, runs: 2 });
  rmSync(join(root, "node_modules/typescript/bin/after.js"));
  const after = await check(root);
  expect(after.runs).toBe(3);
  expect(after.error).toContain("string");
});

test("checks types again after another compiler was installed", { timeout: 600_000 }, async () => {
  const root = project();
  await check(root);
  await check(root);
  write(root, "node_modules/typescript/package.json", '{ "version": "7.0.3" }');
  expect((await check(root)).runs).toBe(3);
  await check(root);
  await check(root);
  const { runs } = await check(root);
  appendFileSync(join(root, "node_modules/typescript/bin/tsc"), "// another build\n");
  expect((await check(root)).runs).toBe(runs + 1);
});
