import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-missing-"));
const installed = join(folder, "node_modules");
const { dependencies } = JSON.parse(readFileSync(join(root, "dist/package/package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};

function install(name: string): void {
  mkdirSync(dirname(join(installed, name)), { recursive: true });
  symlinkSync(join(root, "node_modules", name), join(installed, name));
}

beforeAll(() => {
  cpSync(join(root, "dist/package"), join(installed, "furrow"), { recursive: true });
  for (const name of Object.keys(dependencies)) install(name);
  writeFileSync(
    join(folder, "first.mjs"),
    `import { playbook } from "furrow";
    import * as t from "furrow/tasks";
    const tasks = () => [t.file({ path: ${JSON.stringify(join(folder, "x"))}, content: "x\\n" })];
    export default playbook({ name: "First", plays: [{ hosts: "all", tasks }] });\n`,
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(): { readonly code: number | null; readonly stderr: string } {
  const words = [join(installed, "furrow/bin/furrow.js"), "run", "first.mjs", "-i", "local"];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8", timeout: 60_000 });
  return { code: status, stderr };
}

it("a run succeeds with all packages that furrow depends on", () => {
  expect(run()).toEqual({ code: 0, stderr: "" });
});

it.each(Object.keys(dependencies))(
  "a run without the package %s does not hang, and names the package if the run needs it",
  (name) => {
    rmSync(join(installed, name));
    const { code, stderr } = run();
    install(name);
    // Only some packages are needed for this run.
    const reported = code === 0 ? stderr === "" : stderr.includes(`Cannot find package '${name}'`);
    expect([code === null, reported]).toEqual([false, true]);
  },
);
