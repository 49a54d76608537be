import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Entry, incompleteFolders, readCatalogue, root } from "./catalogue.ts";
import { literal } from "./literal.ts";
import { allPages } from "./pages.ts";
import { taskIndex } from "./task-index.ts";
import { taskPage } from "./task-page.ts";

describe("literal()", () => {
  it("prints data as source, and breaks long data into lines", () => {
    expect(literal({ a: [1, "x"], "b-c": { d: undefined, e: null } })).toBe(
      '{ a: [1, "x"], "b-c": { d: undefined, e: null } }',
    );
    expect(literal({ text: "0123456789", list: ["0123456789"] }, 15)).toBe(
      '{\n  text: "0123456789",\n  list: [\n    "0123456789",\n  ],\n}',
    );
  });
});

describe("the catalogue", () => {
  let folder: string;
  const authoring = JSON.stringify(join(root, "src/authoring.ts"));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "furrow-catalogue-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function plant(name: string, exportName: string, taskName: string): void {
    mkdirSync(join(folder, name));
    writeFileSync(
      join(folder, name, `${name}.ts`),
      `import { absent, file, task, z } from ${authoring};
       export const limit = 3;
       export const ${exportName} = task({
         name: "${taskName}",
         summary: "Say a | b",
         params: z.strictObject({ path: z.string().describe("Where") }),
         examples: [{ path: "/a" }],
       })
         .facts((p) => ({ it: file(p.path) }))
         .want(() => ({ it: absent }))
         .steps((p) => [{ step: "remove", path: p.path, recursive: false }]);\n`,
    );
  }

  it("lists exports with a card, and exports a task whose name is a reserved word under both names", async () => {
    plant("package", "pkg", "package");
    plant("file-line", "fileLine", "fileLine");
    const entries = await readCatalogue(folder);
    expect(taskIndex(entries).text.split("\n").slice(1)).toEqual([
      'export { fileLine } from "./file-line/file-line.ts";',
      'export { pkg, pkg as package } from "./package/package.ts";',
      "",
    ]);
    const page = taskPage(entries[1] as Entry).text;
    expect(page).toContain('t.package({ path: "/a" });');
    expect(page).toContain("Reads `file:/a`.");
    expect(page).toContain("| `path` | `string` | required | Where |");
  });

  it("refuses two modules with the same name, and a folder without a task", async () => {
    plant("a", "a", "same");
    plant("b", "b", "same");
    await expect(readCatalogue(folder)).rejects.toThrow('two task modules are named "same"');
    rmSync(join(folder, "b"), { recursive: true });
    mkdirSync(join(folder, "c"));
    writeFileSync(join(folder, "c", "c.ts"), "export const nothing = 1;\n");
    await expect(readCatalogue(folder)).rejects.toThrow("tasks/c/c.ts exports no task");
  });

  it("skips and reports a folder without its module, and names a module that cannot be imported", async () => {
    mkdirSync(join(folder, "empty"));
    mkdirSync(join(folder, "started"));
    writeFileSync(join(folder, "started", "started.test.ts"), "");
    expect(await readCatalogue(folder)).toEqual([]);
    expect(incompleteFolders(folder)).toEqual(["started"]);
    mkdirSync(join(folder, "broken"));
    writeFileSync(join(folder, "broken", "broken.ts"), 'import "./nowhere.ts";\n');
    await expect(readCatalogue(folder)).rejects.toThrow("tasks/broken/broken.ts cannot be imported: ");
  });
});

it("marks every page as generated on its first line, except the help and README, which users see", async () => {
  const pages = (await allPages()).filter(({ path }) => !["bin/help.txt", "README.md"].includes(path));
  for (const { path, text } of pages) expect(text.split("\n", 1)[0], path).toContain("enerated by `npm run");
});
