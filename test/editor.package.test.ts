/**
 * Tests what an editor shows about the package, by asking the compiler's language server in a project with the tarball
 * installed.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commented, describedObjects } from "../scripts/doc-comments.ts";
import * as tasks from "../tasks/index.ts";
import { covered } from "./covered.ts";
import { Calls } from "./editor-calls.ts";
import { LanguageService, type Place } from "./language-service.ts";

const root = resolve(import.meta.dirname, "..");
const text = `import * as t from "furrow/tasks";
import { bootServer } from "./node_modules/furrow/roles/boot-server/role.js";
export const calls = [
  t.service({ name: "nginx", state: "started" }),
  t.service({ name: "nginx",  }),
  t.package({ name: "nginx", state: "latst" }),
  t.service({ name: "nginx", stat: "started" }),
  t.file({ path: "/etc/motd", mode: "0644" }),
  t.file({ path: "/srv", state: "absent", recursive: true }),
  t.libvirtDomain({ name: "a", memoryMiB: 1, vcpus: 1, disks: [{ file: "/a", format: "raw" }] }),
  t.package({ name: "nginx" }),
  bootServer({ publicAddress: "192.0.2.1" }),
];
`;

/** Outputs of tasks, used wherever a param accepts them. */
const outputs = `import type { Composite, TaskCall } from "furrow";
import * as t from "furrow/tasks";

const run = t.command({ command: ["true"], always: true });
const text = run.output.map(({ stdout }) => stdout);
const perhaps = run.output.map(({ stdout }): string | undefined => stdout);
declare const on: boolean;
declare const mode: string | undefined;
declare const params: Parameters<typeof t.service>[0];
const latest: Composite = t.package({ name: "nginx", state: "latest" });
const exact: TaskCall<undefined> = t.package({ name: "nginx", version: "1.26" });
export const calls = [
  latest,
  exact,
  t.service(params),
  t.file({ path: text, content: text, mode: perhaps }),
  t.file({ path: "/a", content: "", mode }),
  t.file({ path: "/a", state: on ? "absent" : "directory" }),
  t.file(text.map((path) => ({ path, content: "" }))),
  t.package({ name: ["nginx", text] }),
  t.package({ name: "nginx", state: on ? "latest" : "absent" }),
  t.command({ command: "true", always: true, env: { HOME: text } }),
  t.libvirtDomain({ name: "a", memoryMiB: 1, vcpus: 1, disks: [{ file: text }] }),
  t.libvirtDomain({
    name: "a",
    memoryMiB: 1,
    vcpus: 1,
    disks: text.map((file) => [{ file }]),
    state: text.map(() => "running" as const),
  }),
];
// @ts-expect-error: a Ref of a Ref
t.libvirtDomain({ name: "a", memoryMiB: 1, vcpus: 1, disks: [{ file: text.map(() => text) }] });
// @ts-expect-error: a param of another form
t.file({ path: "/a", state: "absent", content: "" });
`;

/** The position that is `letters` characters into `word` on a line. */
function placeOf(line: number, word: string, letters = 1): Place {
  return { line, character: (text.split("\n")[line] ?? "").indexOf(word) + letters };
}

describe("an editor, in a project with the package", { timeout: 600_000 }, () => {
  let project: string;
  let file: string;
  let service: LanguageService;

  beforeAll(async () => {
    const [tarball = "none"] = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".tgz"));
    project = mkdtempSync(join(tmpdir(), "furrow-editor-"));
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
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

  it("shows the type and the meaning of a param when the pointer rests on it", async () => {
    const shown = await service.hover(file, placeOf(3, "state"));
    expect(shown).toContain('state?: \\"started\\" | \\"stopped\\"');
    expect(shown).toContain("Whether the unit is running");
  });

  it.each([
    { of: "a param of several forms, while other params are missing", line: 7, word: "mode", wanted: "Octal mode" },
    { of: "a param of one form", line: 8, word: "recursive", wanted: "Remove a directory with everything below it" },
    { of: "the param that distinguishes a form", line: 8, word: "state", wanted: "Nothing at this path" },
    { of: "a nested param", line: 9, word: "format", wanted: "Format of the image" },
    { of: "a param whose type differs between forms", line: 10, word: "name", wanted: "One package or several" },
    { of: "a param of a role", line: 11, word: "publicAddress", wanted: "The cluster's address as seen from outside" },
  ])("shows the description of $of", async ({ line, word, wanted }) => {
    expect(await service.hover(file, placeOf(line, word))).toContain(wanted);
  });

  it("shows the description of every param of every task, in every form", async () => {
    const calls = new Calls('import * as t from "furrow/tasks";');
    for (const [name, { card }] of Object.entries(tasks)) calls.add(`t.${name}`, card.params);
    const path = join(project, "all.ts");
    service.open(path, calls.text);
    expect(await service.diagnostics(path)).toEqual([]);
    const shown = await Promise.all(calls.described.map(({ place }) => service.hover(path, place)));
    const silent = calls.described.filter(
      ({ text: wanted }, at) => !shown[at]?.includes(JSON.stringify(commented(wanted)).slice(1, -1)),
    );
    expect(silent.map(({ param, text: wanted }) => `${param}: ${wanted}`)).toEqual([]);
    const params = new Set(calls.described.map(({ param, text: wanted }) => `${param} ${wanted}`));
    expect(params.size).toBeGreaterThan(400);
    covered(`${params.size} params of tasks, each with its description, in ${calls.described.length} places`);
  });

  it("accepts outputs of tasks wherever a param takes them", async () => {
    const path = join(project, "outputs.ts");
    service.open(path, outputs);
    expect(await service.diagnostics(path)).toEqual([]);
  });

  it("proposes the params of a task, and no members of outputs", async () => {
    const names = await service.completions(file, placeOf(4, ",  }", 2));
    expect(names).toEqual(expect.arrayContaining(["state?", "enabled?", "restartOn?"]));
    expect(names.filter((name) => /^(map|resolve|source|toString)\??$/.test(name))).toEqual([]);
  });

  it("proposes the values of a param", async () => {
    const names = await service.completions(file, placeOf(3, '"started"'));
    expect(names.map((name) => name.replaceAll('"', "")).toSorted()).toEqual(["started", "stopped"]);
  });

  it("names the allowed values for a wrong value, and suggests the intended param", async () => {
    const [literal = "", param = ""] = await service.diagnostics(file);
    for (const state of ["absent", "latest", "present"]) expect(literal).toContain(`"${state}"`);
    expect(literal).not.toContain("OrRef");
    expect(param).toContain("Did you mean to write 'state'?");
  });

  it("finds the description of every param of every task in the declarations", () => {
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
    expect(texts.filter((one) => !declared.includes(`/** ${commented(one)} */\n`))).toEqual([]);
    covered(`${texts.length} descriptions of params in the declarations`);
  });
});
