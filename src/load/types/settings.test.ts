import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { missingSettings } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function project(manifest: string, config?: string): string {
  const path = join(folder, `${(count += 1)}`);
  mkdirSync(path);
  writeFileSync(join(path, "package.json"), manifest);
  if (config !== undefined) writeFileSync(join(path, "tsconfig.json"), config);
  return path;
}

const said = (path: string, file = "site.ts"): string | undefined => missingSettings(join(path, file), path);

/** The beginning and the end of the file that TypeScript 7 writes for `npx tsc --init`. */
const made = `{
  // Visit https://aka.ms/tsconfig to read more about this file
  "compilerOptions": {
    // "rootDir": "./src",
    "module": "nodenext", /* "noEmit": true */
    "types": [],
    "declaration": true,
    "skipLibCheck": true,
  }
}
`;

it("names the three settings that a project made by npm init and tsc --init lacks", () => {
  expect(said(project('{ "name": "mine" }', made))).toBe(
    'this project lacks settings that Node and TypeScript need: "type": "module" in package.json; ' +
      '"allowImportingTsExtensions": true and "noEmit": true in tsconfig.json',
  );
});

it.each<[string, string, string | undefined, string | undefined]>([
  [
    "accepts a project with all settings",
    '{ "type": "module" }',
    made.replace('"types"', '"noEmit": true, "allowImportingTsExtensions": true, "types"'),
    undefined,
  ],
  [
    "accepts a compiler that rewrites the names of imported files",
    '{ "type": "module" }',
    made.replace('"types"', '"rewriteRelativeImportExtensions": true, "types"'),
    undefined,
  ],
  ["accepts a project without tsconfig.json", '{ "type": "module" }', undefined, undefined],
  ["accepts a tsconfig.json that cannot be read", '{ "type": "module" }', "{", undefined],
  [
    "names a setting that is missing",
    '{ "type": "module" }',
    made.replace('"types"', '"noEmit": true, "types"'),
    'this project lacks settings that Node and TypeScript need: "allowImportingTsExtensions": true in tsconfig.json',
  ],
])("%s", (_what, manifest, config, expected) => {
  expect(said(project(manifest, config))).toBe(expected);
});

it.each([
  { types: [], says: '"types": ["node"]' },
  { types: ["jest"], says: '"types": ["jest","node"]' },
  { types: ["node"], says: undefined },
  { types: ["*"], says: undefined },
])('requires "node" in $types if the types of Node are installed', ({ types, says }) => {
  const options = { noEmit: true, allowImportingTsExtensions: true, types };
  const path = project('{ "type": "module" }', JSON.stringify({ compilerOptions: options }));
  expect(said(path)).toBeUndefined();
  mkdirSync(join(path, "node_modules/@types/node"), { recursive: true });
  expect(said(path)).toBe(
    says && `this project lacks settings that Node and TypeScript need: ${says} in tsconfig.json`,
  );
});

it("lists all settings that a tsconfig.json lacks", () => {
  const path = project('{ "type": "module" }', made);
  mkdirSync(join(path, "node_modules/@types/node"), { recursive: true });
  expect(said(path)).toMatch(
    /: "allowImportingTsExtensions": true, "noEmit": true and "types": \["node"\] in tsconfig\.json$/,
  );
});

it("reads a package.json with a byte order mark, as Node does", () => {
  expect(said(project('\uFEFF{ "type": "module" }'))).toBeUndefined();
});

it("reads the settings of the project that a symlink leads to, as Node does", () => {
  const real = project('{ "type": "module" }');
  writeFileSync(join(real, "site.js"), "");
  const link = project("{}");
  symlinkSync(join(real, "site.js"), join(link, "site.js"));
  expect(said(link, "site.js")).toBeUndefined();
});

it("reads inherited options, and requires nothing for .mts and .mjs", () => {
  const path = project('{ "type": "module" }', '{ "extends": ["./base"] }');
  writeFileSync(
    join(path, "base.json"),
    '{ "compilerOptions": { "noEmit": true, "allowImportingTsExtensions": true } }',
  );
  expect(said(path)).toBeUndefined();
  const bare = project("{}", made);
  expect([said(bare, "site.mts"), said(bare, "site.mjs")]).toEqual([undefined, undefined]);
  expect(said(bare, "site.js")).toMatch(/"type": "module" in package\.json$/);
});
