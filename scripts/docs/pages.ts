import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Block, blocksOf } from "./blocks.ts";

/** The repository's root. */
export const root = resolve(import.meta.dirname, "../..");

/** Paths of the pages whose blocks are tested, relative to the repository's root. */
export function triedPages(): string[] {
  const guides = readdirSync(join(root, "docs/guides"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .toSorted();
  return ["README.md", "docs/README.md", ...guides.map((name) => `docs/guides/${name}`)];
}

/** The blocks of a page. */
export function pageBlocks(page: string): Block[] {
  return blocksOf(readFileSync(join(root, page), "utf8"));
}

/** Creates an empty folder in which the files of a page form a project that uses furrow. */
export function emptyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "furrow-docs-"));
  prepare(folder);
  return folder;
}

function prepare(folder: string): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/furrow"));
  symlinkSync(join(root, "node_modules/vitest"), join(folder, "node_modules/vitest"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }\n');
}

/** Adds TypeScript and Node's types to a project, as `npm install` would. */
export function putCompiler(folder: string): void {
  for (const name of ["typescript", "@typescript", "@types"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
}

/** Writes a block's file into a project, with imports of furrow's sources replaced by imports of its entry points. */
export function putBlock(folder: string, { name, text }: Block): void {
  if (name === undefined) return;
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  const outside = text
    .replaceAll(/"(\.\.\/)+src\/authoring\.ts"/g, '"furrow"')
    .replaceAll(/"(\.\.\/)+src\/testing\/index\.ts"/g, '"furrow/testing"');
  writeFileSync(join(folder, name), outside);
}

/** The code that a block without a name may use: such a block is part of a playbook, and this code surrounds it. */
const surroundings = `import { absent, absolutePath, block, file, generated, inventory, on, once, play, playbook, role, run, secret, task, text, z } from "furrow";
import type { HostFacts, PlayHost } from "furrow";
import * as t from "furrow/tasks";
declare const host: PlayHost;
declare const hosts: readonly PlayHost[];
declare const allHosts: readonly PlayHost[];
declare const facts: HostFacts;
`;

/**
 * A part of a playbook, written as a module. Its default export is a function that takes `host`, `hosts`, `allHosts`
 * and `facts`, and returns the part's constants.
 */
export interface PlaybookPart {
  readonly page: string;
  readonly line: number;
  readonly path: string;
}

/** Writes each block without a name as a module that a test can import. Returns the modules and their folder. */
export function layOutParts(pages: readonly string[]): { readonly folder: string; readonly parts: PlaybookPart[] } {
  const folder = mkdtempSync(join(tmpdir(), "furrow-parts-"));
  prepare(folder);
  const parts = pages.flatMap((page) =>
    pageBlocks(page)
      .filter(({ language, name, text }) => language === "ts" && name === undefined && !/^(import|export) /m.test(text))
      .map(({ line, text }, index) => {
        const path = join(folder, `${page.replaceAll(/[/.]/g, "-")}-${index}.ts`);
        const names = [...text.matchAll(/^const (\w+)\b/gm)].map(([, name = ""]) => name);
        const imports = surroundings.replaceAll(/^declare .*\n/gm, "");
        writeFileSync(
          path,
          `${imports}export default ({ host, hosts, allHosts, facts }) => {\n${text}\nreturn { ${names.join(", ")} };\n};\n`,
        );
        return { page, line, path };
      }),
  );
  return { folder, parts };
}

/**
 * Writes the TypeScript of all pages for the compiler. Returns the folder with its `tsconfig.json`. A page that shows a
 * file twice gets a folder for each version; a block without a name is checked as part of a playbook.
 */
export function layOut(pages: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "furrow-types-"));
  for (const page of pages) layOutPage(folder, page);
  const options = { typeRoots: [join(root, "node_modules/@types")], noUnusedLocals: false };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: options,
      include: ["**/*.ts"],
      exclude: ["**/node_modules"],
    }),
  );
  return folder;
}

function layOutPage(folder: string, page: string): void {
  const stem = page.replaceAll("/", "-").replace(/\.md$/, "");
  let state = 1;
  const seen = new Set<string>();
  const here = (): string => join(folder, `${stem}-${state}`);
  prepare(here());
  for (const block of pageBlocks(page)) {
    if (block.language !== "ts") continue;
    if (block.name === undefined) {
      const name = `line-${block.line}.ts`;
      writeFileSync(
        join(here(), name),
        `${/^import /m.test(block.text) ? "" : surroundings}${block.text}\nexport {};\n`,
      );
      continue;
    }
    if (seen.has(block.name)) {
      const before = here();
      state += 1;
      cpSync(before, here(), { recursive: true, verbatimSymlinks: true });
      seen.clear();
    }
    seen.add(block.name);
    putBlock(here(), block);
  }
}
