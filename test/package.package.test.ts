import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as sources from "../tasks/index.ts";
import { covered } from "./covered.ts";

const root = resolve(import.meta.dirname, "..");
const bin = join(root, "node_modules/.bin");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

/**
 * The first playbook that a user would write: typed vars, a task, and a second task that reads the first task's output.
 */
const playbook = `import { playbook, play, z } from "furrow";
import * as t from "furrow/tasks";

export default playbook({
  name: "first",
  vars: z.object({ folder: z.string() }),
  plays: [
    play<{ folder: string }>({
      hosts: "all",
      tasks: ({ vars }) => [t.file({ path: \`\${vars.folder}/hello.txt\`, content: "hello\\n", mode: "0644" })],
    }),
  ],
});
`;

/** The packages that a built file imports by name, except furrow itself, relative files and Node's modules. */
function packagesOf(code: string): string[] {
  const still = code.matchAll(/^(?:import|export)\s(?:[\w\s{},*$]*\sfrom\s)?\s*["']([^"']+)["'];?$/gm);
  const late = code.matchAll(/\bimport\(\s*["']([^"']+)["']/g);
  return [...still, ...late].flatMap(([, name = ""]) => {
    if (/^[./]|^furrow(?:\/|$)/.test(name) || isBuiltin(name)) return [];
    return [name.split("/", name.startsWith("@") ? 2 : 1).join("/")];
  });
}

describe("the package, installed from its tarball into an empty project", () => {
  let project: string;

  interface Ran {
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }

  function run(command: string, ...args: string[]): Ran {
    return runWith({}, command, ...args);
  }

  function runWith(more: NodeJS.ProcessEnv, command: string, ...args: string[]): Ran {
    const env = { ...process.env, PATH: [bin, process.env["PATH"]].join(delimiter), ...more };
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, env, encoding: "utf8" });
    return { code: status, stdout, stderr };
  }

  beforeAll(() => {
    const [tarball] = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".tgz"));
    if (tarball === undefined) throw new Error('there is no tarball in dist: run "npm run build"');
    project = mkdtempSync(join(tmpdir(), "furrow-package-"));
    writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true, "type": "module" }\n');
    writeFileSync(join(project, "first.ts"), playbook);
    const installed = run("npm", "install", "--no-audit", "--no-fund", join(root, "dist", tarball));
    if (installed.code !== 0) throw new Error(installed.stderr);
  });

  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it("answers --version and --help", () => {
    expect(run("npx", "furrow", "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect(run("npx", "furrow", "--help").stdout).toContain("Usage: furrow COMMAND");
  });

  it("contains no TypeScript source, test or script", () => {
    const files = readdirSync(join(project, "node_modules/furrow"), { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => /(?<!\.d)\.ts$|\.test\.|^scripts/.test(name))).toEqual([]);
    covered(`${files.length} files in the package`);
  });

  it("imports only packages that are among its dependencies", () => {
    const folder = join(project, "node_modules/furrow");
    const built = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
      "dependencies" | "peerDependencies",
      Record<string, string>
    >;
    const imported = built.flatMap((name) => packagesOf(readFileSync(join(folder, name), "utf8")));
    const missing = [...new Set(imported)].filter(
      (name) => !Object.hasOwn({ ...dependencies, ...peerDependencies }, name),
    );
    expect(imported).toContain("ssh2");
    expect(missing).toEqual([]);
  });

  it("is installed without cloud SDKs, and says how to install one", () => {
    const packages = readdirSync(join(project, "node_modules"), { recursive: true, encoding: "utf8" });
    const installed = packages.filter((name) => name.endsWith("package.json"));
    expect(packages.filter((name) => /^@(aws-sdk|azure|google-cloud)/.test(name))).toEqual([]);
    covered(`${installed.length} files named package.json below node_modules`);
    const inventory = (source: string, options: string): string =>
      `import { ${source} } from "furrow/cloud";\nexport default ${source}(${options});\n`;
    for (const [source, options, name] of [
      ["ec2Inventory", '{ regions: ["eu-west-1"] }', "@aws-sdk/client-ec2"],
      ["gceInventory", '{ projects: ["p"] }', "@google-cloud/compute"],
      ["azureInventory", '{ subscriptions: ["11111111-2222-3333-4444-555555555555"] }', "@azure/identity"],
    ] as const) {
      writeFileSync(join(project, "cloud.ts"), inventory(source, options));
      const { code, stderr } = run("npx", "furrow", "check", "first.ts", "-i", "cloud.ts", "--var", "folder=/x");
      // Azure's SDK consists of several packages, which are loaded together.
      expect(stderr).toMatch(new RegExp(String.raw`the package (${name}|@azure/[\w-]+) is not installed`));
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining(`Run npm install ${name}`)]);
    }
  });

  it("lists labs, and says how to create one", () => {
    expect(run("npx", "furrow", "lab", "--help").stdout).toContain("furrow lab");
    const bin = join(project, "node_modules/furrow/bin/furrow.js");
    expect(run("node", bin, "lab", "list")).toMatchObject({ code: 0, stderr: "" });
  });

  it("lets a playbook type-check against its declarations, and rejects a wrong param", () => {
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--skipLibCheck"];
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
    expect(run("tsc", ...options, ...types, "first.ts")).toEqual({ code: 0, stdout: "", stderr: "" });
    writeFileSync(join(project, "wrong.ts"), playbook.replace('mode: "0644"', "mode: 644"));
    const wrong = run("tsc", ...options, ...types, "wrong.ts");
    expect(wrong.code).not.toBe(0);
    expect(wrong.stdout).toContain("wrong.ts(");
  });

  it.each([
    ["name", 'import { playbok } from "furrow";', 'Write "playbook" instead of "playbok"'],
    ["export", 'import * as t from "furrow/task";', 'Write "furrow/tasks" instead of "furrow/task"'],
  ])("suggests the intended %s for a misspelled import", (what, line, hint) => {
    writeFileSync(join(project, `meant-${what}.ts`), `${line}\n`);
    expect(run("npx", "furrow", "list", `meant-${what}.ts`, "-i", "local").stderr).toContain(hint);
  });

  it("lets a project created by tsc --init export roles and tasks, and import them by file names that end in .ts", () => {
    const own = mkdtempSync(join(project, "made-"));
    const inOwn = (command: string, ...args: string[]): Ran => {
      const env = {
        ...process.env,
        PATH: [bin, process.env["PATH"]].join(delimiter),
        XDG_STATE_HOME: join(own, "state"),
      };
      const { status, stdout, stderr } = spawnSync(command, args, { cwd: own, env, encoding: "utf8" });
      return { code: status, stdout, stderr };
    };
    writeFileSync(join(own, "package.json"), '{ "private": true }\n');
    expect(inOwn("tsc", "--init").code).toBe(0);
    writeFileSync(
      join(own, "role.ts"),
      `import { absolutePath, composite, role, z } from "furrow";
import * as t from "furrow/tasks";
export const page = role(
  { name: "page", summary: "Keep a page", params: z.strictObject({ path: absolutePath() }) },
  ({ path }) => [t.file({ path, content: "" })],
);
export const both = composite(
  { name: "both", summary: "Keep two", params: z.strictObject({ path: absolutePath() }), examples: [{ path: "/a" }] },
  ({ path }) => [t.file({ path, content: "" })],
);
`,
    );
    writeFileSync(
      join(own, "site.ts"),
      `import { playbook } from "furrow";
import { both, page } from "./role.ts";
export default playbook({ name: "x", plays: [{ hosts: "all", tasks: () => [page({ path: "/a" }), both({ path: "/b" })] }] });
`,
    );
    const furrow = [join(project, "node_modules/furrow/bin/furrow.js"), "list", "site.ts", "-i", "local"];
    // This project does not have its own compiler.
    const unchecked = "types are not checked: TypeScript is not installed; .*\\n$";
    // Missing settings are reported once, and there are no other errors.
    expect(inOwn("node", ...furrow)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        new RegExp(`^this project lacks settings.*"type": "module".*"noEmit": true in tsconfig.json\\n${unchecked}`),
      ) as string,
    });
    writeFileSync(join(own, "package.json"), '{ "private": true, "type": "module" }\n');
    const config = readFileSync(join(own, "tsconfig.json"), "utf8");
    const added = '"noEmit": true, "allowImportingTsExtensions": true,';
    writeFileSync(join(own, "tsconfig.json"), config.replace('"compilerOptions": {', `"compilerOptions": { ${added}`));
    expect(inOwn("node", ...furrow)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(new RegExp(`^${unchecked}`)) as string,
    });
    expect(inOwn("tsc")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("resolves every entry point that package.json names", () => {
    // The last entry point contains only types.
    const doors = ["furrow", "furrow/tasks", "furrow/testing", "furrow/cloud", "furrow/lab", "furrow/kubernetes"];
    const code = `for (const door of ${JSON.stringify(doors)}) console.log(Object.keys(await import(door)).length > 0)`;
    writeFileSync(join(project, "doors.mjs"), code);
    expect(run("node", "doors.mjs")).toEqual({ code: 0, stdout: `${"true\n".repeat(5)}false\n`, stderr: "" });
  });

  it("contains all tasks of the source, each loaded on first use", () => {
    const code = `import * as tasks from "furrow/tasks";
      const told = ([name, task]) => [name, typeof task, task.name, Object.keys(task), task.card.summary, task.card.examples];
      console.log(JSON.stringify(Object.entries(tasks).map(told)));`;
    writeFileSync(join(project, "tasks.mjs"), code);
    const told = Object.entries(sources)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, task]) => {
        return [name, typeof task, task.name, Object.keys(task), task.card.summary, task.card.examples];
      });
    const { stdout, stderr } = run("node", "tasks.mjs");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(told)));
    expect(told.length).toBeGreaterThan(30);
  });

  it("creates a task in a role that is loaded before another entry point of furrow", () => {
    const role = 'import * as t from "furrow/tasks"; export const user = t.user({ name: "ann" });';
    writeFileSync(join(project, "early.mjs"), role);
    const code = `import { user } from "./early.mjs";
      import * as facts from "furrow/facts";
      console.log(typeof user.output, Object.keys(facts).length > 0);`;
    writeFileSync(join(project, "later.mjs"), code);
    expect(run("node", "later.mjs")).toEqual({ code: 0, stdout: "object true\n", stderr: "" });
  });

  it("can report mistakes in another language, although the bundle contains only English", () => {
    const code = `import { z } from "furrow";
      z.config(z.locales.de());
      console.log(Object.keys(z.locales).length > 40, z.string().safeParse(1).error.issues[0].message);`;
    writeFileSync(join(project, "german.mjs"), code);
    const german = "true Ungültige Eingabe: erwartet string, erhalten Zahl\n";
    expect(run("node", "german.mjs")).toEqual({ code: 0, stdout: german, stderr: "" });
  });

  it("takes all of its code from the compile cache in the second run", () => {
    // Node reports each file for which it finds compiled code; V8 rejects code that was compiled with other flags.
    const cache = mkdtempSync(join(tmpdir(), "furrow-compiled-"));
    const env = { NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
    const words = ["check", "first.ts", "-i", "local", "--var", `folder=${project}`];
    const twice = [0, 1].map(() => runWith(env, process.execPath, "node_modules/furrow/bin/furrow.js", ...words));
    rmSync(cache, { recursive: true, force: true });
    const [first = "", second = ""] = twice.map(({ stdout, stderr }) => stdout + stderr);
    expect(first).not.toContain("was accepted");
    expect(second).not.toContain("was rejected");
    for (const name of ["main", "authoring", "facts", "tasks", "task-file", "run"])
      expect(second).toMatch(new RegExp(`chunks/${name}[-.]\\S+ was accepted`));
  });

  it("contains the programs and files that it expects next to its code", () => {
    const beside = readdirSync(join(project, "node_modules/furrow/src/chunks"));
    expect(beside).toEqual(expect.arrayContaining(["apt-cache-process.js", "LICENSE.zod"]));
  });

  it("names the line that the user wrote, and accepts schemas made with the user's own zod", () => {
    const failing = playbook
      .replace("import { playbook, play, z }", 'import { z } from "zod";\nimport { playbook, play }')
      .replace(/t\.file\(.*\)\]/, 't.command({ command: "exit 3", always: true })]');
    writeFileSync(join(project, "failing.ts"), failing);
    const line = failing.split("\n").findIndex((text) => text.includes("t.command")) + 1;
    const { code, stdout, stderr } = run("npx", "furrow", "run", "failing.ts", "-i", "local", "--var", "folder=x");
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(`failing.ts:${line}`);
    const wrong = run("npx", "furrow", "check", "failing.ts", "-i", "local");
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain("folder");
  });

  it("runs a playbook on this machine, twice", () => {
    const inventory = `import { inventory } from "furrow";
      export default inventory({ hosts: { here: { transport: "local" } } });\n`;
    writeFileSync(join(project, "hosts.ts"), inventory);
    const furrow = ["furrow", "run", "first.ts", "-i", "hosts.ts", "--var", `folder=${project}`];
    const first = run("npx", ...furrow);
    expect(first.code, first.stderr + first.stdout).toBe(0);
    expect(readFileSync(join(project, "hello.txt"), "utf8")).toBe("hello\n");
    const again = run("npx", ...furrow, "--check", "--exit-code");
    expect(again.code, again.stderr + again.stdout).toBe(0);
  });
});
