/** Tests that the settings of a user's project mean the same in furrow's type check as in an editor. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTypeCheck } from "./type-check.ts";

const installed = resolve(import.meta.dirname, "../../../node_modules");
const folder = mkdtempSync(join(tmpdir(), "furrow-users-settings-"));

beforeAll(() => vi.stubEnv("XDG_STATE_HOME", join(folder, "state")));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;

/** Creates a project from files, with a compiler and other packages, and returns its folder. */
function project(files: Readonly<Record<string, unknown>>, packages = ["typescript", "@typescript"]): string {
  const root = join(folder, `p${(count += 1)}`);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  for (const name of packages) {
    mkdirSync(dirname(join(root, "node_modules", name)), { recursive: true });
    symlinkSync(join(installed, name), join(root, "node_modules", name));
  }
  return root;
}

interface Checked {
  readonly failure:
    | { readonly what: string; readonly current?: string; readonly where: { source: string } }
    | undefined;
  readonly notices: readonly string[];
}

async function check(...paths: readonly string[]): Promise<Checked> {
  const notices: string[] = [];
  const error = await startTypeCheck(paths, (text) => notices.push(text)).error;
  return { failure: error?.failure as Checked["failure"], notices };
}

const withNode = ["typescript", "@typescript", "@types/node"];
const options = { strict: true, module: "nodenext", target: "es2024", skipLibCheck: true, types: [] as string[] };
const globals = "declare const region: string;\n";
const usesGlobal = "export const where: string = region;\n";
const usesNode =
  'import { readFileSync } from "node:fs";\nexport const text = readFileSync(process.argv[2] ?? "", "utf8");\n';

type Files = Readonly<Record<string, string>>;

/** A tsconfig.json with these options in addition to the usual ones. */
function tsconfig(own: object, more: object = {}): Files {
  return { "tsconfig.json": JSON.stringify({ compilerOptions: { ...options, ...own }, ...more }) };
}

/** A project that uses a global name from a declaration file that it does not import. */
function declared(path: string, more: object): Files {
  return { ...tsconfig({}, more), [path]: globals, "site.ts": usesGlobal };
}

/** A project that imports a file by a name that `paths` maps to it. */
function mapped(target: string): Files {
  return {
    ...tsconfig({ paths: { "#names": [target] }, allowImportingTsExtensions: true, noEmit: true }),
    "lib/names.ts": "export const name: string = 'a';\n",
    "site.ts": 'export { name } from "#names";\n',
  };
}

/** A project with its own folder for packages that declare global names. */
const rooted: Files = {
  ...tsconfig({ typeRoots: ["./declared"], types: ["mine"] }),
  "declared/mine/index.d.ts": globals,
  "site.ts": usesGlobal,
};

/** The same project, but its tsconfig.json is in another folder and is extended. */
function inherited({ "tsconfig.json": base = "", ...files }: Files): Files {
  return { ...files, "config/base.json": base, "tsconfig.json": '{ "extends": "./config/base" }' };
}

const usesFurrow =
  'import { playbook } from "furrow";\nexport { name } from "#names";\nexport const make = playbook;\n';

describe("valid code has no type errors", { timeout: 600_000 }, () => {
  test.each<[string, Readonly<Record<string, unknown>>, (readonly string[])?]>([
    ["declarations that `include` names", declared("types/globals.d.ts", { include: ["types", "*.ts"] })],
    ["declarations without `include`", declared("deep/er/globals.d.ts", {})],
    ["declarations that `include` names by file", declared("globals.d.ts", { include: ["globals.d.ts", "site.ts"] })],
    ["declarations that `files` names", declared("globals.d.ts", { files: ["globals.d.ts", "site.ts"] })],
    ["declarations that an extended file includes", inherited(declared("globals.d.ts", { include: ["../**/*.ts"] }))],
    ["declarations in ${configDir}", inherited(declared("globals.d.ts", { include: ["${configDir}/**/*"] }))],
    ["`paths` without furrow in the project", { ...mapped("./lib/names.ts"), "site.ts": usesFurrow }],
    ["`paths` that are inherited", inherited(mapped("../lib/names.ts"))],
    ["`paths` in ${configDir}", inherited(mapped("${configDir}/lib/names.ts"))],
    ["`typeRoots` on one line", rooted],
    ["`typeRoots` that are inherited", inherited({ ...rooted, "config/declared/mine/index.d.ts": globals })],
    ["`declarationDir`", { ...tsconfig({ declaration: true, declarationDir: "types" }), "site.ts": "export {};\n" }],
    ["`types: []` and Node's modules", { ...tsconfig({}), "site.ts": usesNode }, withNode],
    ["no `types` and Node's modules", { ...tsconfig({ types: undefined }), "site.ts": usesNode }, withNode],
    ["`typeRoots` and Node's modules", { ...rooted, "site.ts": usesNode }, withNode],
    [
      "a byte order mark",
      { ...mapped("./lib/names.ts"), "tsconfig.json": `\uFEFF${mapped("./lib/names.ts")["tsconfig.json"]}` },
    ],
    [
      "a JavaScript module",
      { ...tsconfig({}), "lib.js": "export const a = (n) => n;\n", "site.ts": 'export { a } from "./lib.js";\n' },
    ],
  ])("with %s", async (_what, files, packages) => {
    expect(await check(join(project(files, packages && [...packages]), "site.ts"))).toEqual({
      failure: undefined,
      notices: [],
    });
  });

  test("with Node's modules even if their types are not installed, which causes a notice", async () => {
    const root = project({
      "tsconfig.json": { compilerOptions: options },
      "site.ts": `${usesNode}import { readdirSync } from "node:fs";\nexport const names = readdirSync(".").map((name) => name);\n`,
    });
    const { failure, notices } = await check(join(root, "site.ts"));
    expect(failure).toBeUndefined();
    expect(notices).toEqual([expect.stringMatching(/types of Node's modules are not checked.*@types\/node/)]);
  });
});

describe("a fault in tsconfig.json", { timeout: 600_000 }, () => {
  test.each<[string, string, RegExp, number]>([
    ["an unknown option", '{ "compilerOptions": {\n "strickt": true } }', /strickt/, 2],
    ["a wrong value", '{ "compilerOptions": {\n\n "module": "nodenex" } }', /--module/, 3],
    ["a missing comma", '{ "compilerOptions": { "strict": true\n "module": "nodenext" } }', /',' expected/, 2],
    [
      "options that contradict each other",
      '{ "compilerOptions": {\n "module": "nodenext",\n "moduleResolution": "bundler" } }',
      /bundler/,
      3,
    ],
    ["types that are not installed", '{ "compilerOptions": {\n "types": ["jest-extra"] } }', /jest-extra/, 2],
    ["a file to extend that does not exist", '{\n "extends": "./nothing.json" }', /nothing\.json/, 2],
  ])("is reported in that file: %s", async (_what, text, says, line) => {
    const root = project({ "tsconfig.json": text, "site.ts": "export const a = 1;\n" });
    const { failure, notices } = await check(join(root, "site.ts"));
    expect(notices).toEqual([]);
    expect(failure?.what).toMatch(/tsconfig\.json has a wrong setting$/);
    expect(failure?.current).toMatch(says);
    expect(failure?.where.source).toMatch(new RegExp(`^${join(root, "tsconfig.json")}:${line}:\\d+$`));
  });
});

const wrong = 'export const length: number = "x".lenght;\n';

describe("the compiler", { timeout: 600_000 }, () => {
  test.each([
    { where: "next to the file", inLink: false, finds: true },
    { where: "next to the symlink", inLink: true, finds: false },
  ])("is looked up where Node looks up a symlinked playbook's packages: $where", async ({ inLink, finds }) => {
    const packages = ["typescript", "@typescript"];
    const real = project({ "site.ts": wrong }, inLink ? [] : packages);
    const link = project({ "package.json": {} }, inLink ? packages : []);
    symlinkSync(join(real, "site.ts"), join(link, "site.ts"));
    writeFileSync(join(real, "tsconfig.json"), "{}");
    const { failure, notices } = await check(join(link, "site.ts"));
    expect(JSON.stringify(failure ?? "").includes("lenght")).toBe(finds);
    expect(notices).toHaveLength(finds ? 0 : 1);
  });

  test("resolves the imports of a symlinked playbook from the file that the symlink leads to", async () => {
    const real = project({ "site.ts": 'export { a } from "./a.ts";\n', "a.ts": "export const a = 1;\n" });
    const link = project({ "package.json": {} });
    symlinkSync(join(real, "site.ts"), join(link, "site.ts"));
    expect(await check(join(link, "site.ts"))).toEqual({ failure: undefined, notices: [] });
  });

  test("checks the TypeScript files that a JavaScript playbook imports, but not the playbook", async () => {
    const root = project({
      "site.js": 'export { length } from "./lib.ts";\nexport const other = "x".lenght;\n',
      "lib.ts": wrong,
    });
    const { failure } = await check(join(root, "site.js"));
    expect(failure?.where.source).toMatch(/lib\.ts:1:\d+$/);
    expect(JSON.stringify(failure)).not.toContain("site.js");
  });

  test("is reported as missing in a notice if the project has a tsconfig.json or the user asked for the check", async () => {
    const bare = project({ "site.ts": wrong, "site.js": "export const a = 1;\n" }, []);
    const says = [expect.stringMatching(/^types are not checked: TypeScript is not installed; run npm install/)];
    expect((await check(join(bare, "site.ts"))).notices).toEqual([]);
    for (const [path, seen] of [
      ["site.ts", says],
      ["site.js", []],
    ] as const) {
      const notices: string[] = [];
      const { error } = startTypeCheck([join(bare, path)], (text) => notices.push(text), { isWanted: true });
      expect(await error).toBeUndefined();
      expect(notices).toEqual(seen);
    }
    const typed = project({ "tsconfig.json": "{}", "site.ts": wrong }, []);
    expect(await check(join(typed, "site.ts"))).toEqual({ failure: undefined, notices: says });
  });
});
