/**
 * Tests what an editor shows about the package, by asking the compiler's language server in a project with the tarball
 * installed.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describedObjects } from "../scripts/doc-comments.ts";
import * as tasks from "../tasks/index.ts";
import { covered } from "./covered.ts";
import { LanguageService, type Place } from "./language-service.ts";

const root = resolve(import.meta.dirname, "..");
const text = `import * as t from "furrow/tasks";

export const calls = [
  t.service({ name: "nginx", state: "started" }),
  t.service({ name: "nginx",  }),
  t.package({ name: "nginx", state: "latst" }),
  t.service({ name: "nginx", stat: "started" }),
];
`;

/** The position in a line that is `letters` characters into `word`. */
function placeOf(line: number, word: string, letters = 1): Place {
  return { line, character: (text.split("\n")[line] ?? "").indexOf(word) + letters };
}

describe("an editor, in a project with the package", { timeout: 120_000 }, () => {
  let project: string;
  let file: string;
  let service: LanguageService;

  beforeAll(async () => {
    const [tarball = "none"] = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".tgz"));
    project = mkdtempSync(join(tmpdir(), "furrow-editor-"));
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
    const compilerOptions = {
      strict: true,
      module: "nodenext",
      target: "es2024",
      noEmit: true,
      skipLibCheck: true,
      types: [],
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    const words = ["install", "--no-audit", "--no-fund", join(root, "dist", tarball)];
    const env = { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter) };
    const { status, stderr } = spawnSync("npm", words, { cwd: project, env, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    file = join(project, "site.ts");
    writeFileSync(file, text);
    service = new LanguageService(join(root, "node_modules/.bin/tsc"), project);
    await service.start(project);
    service.open(file, text);
  });

  afterAll(() => {
    service.stop();
    rmSync(project, { recursive: true, force: true });
  });

  // TypeScript 5.9 shows the description as well; 7.0 does not show the descriptions of properties of a mapped type.
  it("shows what a param takes where the pointer rests on it", async () => {
    expect(JSON.parse(await service.hover(file, placeOf(3, "state")))).toMatchObject({
      contents: { value: expect.stringContaining('state?: "started" | "stopped"') as string },
    });
  });

  it("proposes the params of a task, and nothing that an output has", async () => {
    const names = await service.completions(file, placeOf(4, ",  }", 2));
    expect(names).toEqual(expect.arrayContaining(["state?", "enabled?", "restartOn?"]));
    expect(names.filter((name) => /^(map|resolve|source|toString)\??$/.test(name))).toEqual([]);
  });

  it("proposes the values of a param", async () => {
    const names = await service.completions(file, placeOf(3, '"started"'));
    expect(names.map((name) => name.replaceAll('"', "")).toSorted()).toEqual(["started", "stopped"]);
  });

  it("names the allowed values of a wrong one, and the param that was meant", async () => {
    const [literal = "", param = ""] = await service.diagnostics(file);
    for (const state of ["absent", "latest", "present"]) expect(literal).toContain(`"${state}"`);
    expect(literal).not.toContain("OrRef");
    expect(param).toContain("Did you mean to write 'state'?");
  });

  it("finds the text of every param of every task in the declarations", () => {
    const folder = join(project, "node_modules/furrow/tasks");
    const declared = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".d.ts"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
    const texts = Object.values(tasks)
      .flatMap(({ card }) => describedObjects(card.params))
      .flatMap((object) => [...object.values()])
      .filter((one) => one !== undefined);
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.filter((one) => !declared.includes(`/** ${one.replaceAll("*/", "* /")} */\n`))).toEqual([]);
    covered(`${texts.length} texts of params in the declarations`);
  });
});
