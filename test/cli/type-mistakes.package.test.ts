/**
 * Tests that the compiler finds common mistakes in playbooks. Without a compiler, furrow must find each mistake before
 * it connects. Uses the built package, as a user does, because the compiler reads the package's types five times faster
 * than the sources.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { covered } from "../covered.ts";
import { optionMistakes } from "../mistakes/option-mistakes.ts";
import { typeMistakes, valueMistakes } from "./type-mistakes.ts";

const root = resolve(import.meta.dirname, "../..");
const built = join(root, "dist/package");
const folder = mkdtempSync(join(tmpdir(), "furrow-types-"));
let connections = 0;
let server: Server;

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

function furrow(cwd: string, ...words: readonly string[]): Promise<Ended> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(built, "bin/furrow.js"), ...words], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: folder, XDG_STATE_HOME: join(folder, "state"), NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
    }
    child.on("error", fail);
    child.on("close", (code) => done({ code, text }));
  });
}

function project(name: string, packages: readonly string[]): string {
  const path = join(folder, name);
  mkdirSync(join(path, "node_modules/@types"), { recursive: true });
  for (const one of packages)
    symlinkSync(one === "furrow" ? built : join(root, "node_modules", one), join(path, "node_modules", one));
  writeFileSync(join(path, "package.json"), '{ "type": "module" }\n');
  const { port } = server.address() as { port: number };
  writeFileSync(
    join(path, "inventory.ts"),
    `import { inventory } from "furrow";
export default inventory({ hosts: { web1: { address: "127.0.0.1", port: ${port}, user: "root" } } });
`,
  );
  writeFileSync(
    join(path, "page.ts"),
    `import { role, z } from "furrow";
import * as t from "furrow/tasks";
export const page = role(
  { name: "page", summary: "Keep a page", params: z.strictObject({ title: z.string() }) },
  ({ title }) => [t.file({ path: "/srv/page", content: title })],
);
`,
  );
  return path;
}

const mistakes = [...typeMistakes, ...optionMistakes];

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done);
  });
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a type error", { timeout: 600_000 }, () => {
  it("is refused before any connection, even without a compiler in the project", async () => {
    const path = project("without", ["furrow"]);
    for (const { name, text, says } of [...mistakes, ...valueMistakes]) {
      writeFileSync(join(path, "site.ts"), text);
      const { code, text: said } = await furrow(path, "check", "site.ts", "-i", "inventory.ts");
      expect({ name, code, said }).toEqual({ name, code: 1, said: expect.stringMatching(says) as string });
      expect(said, name).toMatch(/hint +[A-Z]/);
    }
    expect(connections).toBe(0);
    covered(`${mistakes.length} type errors without a compiler`);
  });

  it.each(["validate", "list"])("may go unnoticed without a compiler; %s warns of this once", async (command) => {
    const path = project(`unchecked-${command}`, ["furrow"]);
    const text = `import { playbook } from "furrow";
const port: number = "80";
export default playbook({ name: "x", plays: [{ hosts: "all", tasks: () => [port > 1 && []] }] });
`;
    writeFileSync(join(path, "site.ts"), text);
    if (command === "list") writeFileSync(join(path, "tsconfig.json"), '{ "compilerOptions": { "strict": true } }');
    const words = [command, "site.ts", "-i", "inventory.ts"];
    const { text: said } = await furrow(path, ...words);
    expect(said.match(/types are not checked: TypeScript is not installed/g)).toHaveLength(1);
    expect((await furrow(path, ...words, "--no-types")).text).not.toContain("types");
  });

  it("is also reported by the compiler if the project has one, before any connection", async () => {
    const path = project("with", ["furrow", "typescript", "@types/node"]);
    let compiled = 0;
    for (const { name, text, typed = /^E_TYPES/ } of mistakes) {
      writeFileSync(join(path, "site.ts"), text);
      const { code, text: said } = await furrow(path, "validate", "site.ts");
      // Without an inventory, no tasks are listed, so most mistakes are found only by the compiler.
      if (/^E_PLAYBOOK/m.test(said)) continue;
      const byCompiler = said.slice(said.indexOf("E_TYPES  "));
      expect({ name, code, byCompiler }).toEqual({
        name,
        code: 1,
        byCompiler: expect.stringMatching(typed) as string,
      });
      compiled += 1;
    }
    expect(compiled).toBeGreaterThanOrEqual(18);
    expect(connections).toBe(0);
    covered(`${mistakes.length} type errors with a compiler`);
  });

  // The compiler takes seconds for each mistake, so this test uses only a sample of the mistakes.
  it.each(mistakes.filter((_, at) => at % 5 === 0))(
    "is reported once, with its location, if both loading and the compiler find it: $name",
    async ({ name, text, says }) => {
      const path = project(`both-${name.replaceAll(/\W+/g, "-")}`, ["furrow", "typescript", "@types/node"]);
      writeFileSync(join(path, "site.ts"), text);
      const { code, text: said } = await furrow(path, "validate", "site.ts", "-i", "inventory.ts");
      expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(says) as string });
      const places = said.match(/^ +at +\S+:\d+(?=:)/gm) ?? [];
      expect(places).toEqual([...new Set(places)]);
    },
  );

  it("is refused before any connection if the compiler accepts it", async () => {
    const path = project("values", ["furrow", "typescript", "@types/node"]);
    for (const { name, text, says } of valueMistakes) {
      writeFileSync(join(path, "site.ts"), text);
      const { code, text: said } = await furrow(path, "check", "site.ts", "-i", "inventory.ts");
      expect({ name, code, said }).toEqual({ name, code: 1, said: expect.stringMatching(says) as string });
      expect(said, name).not.toContain("E_TYPES");
    }
    expect(connections).toBe(0);
  });

  it("is refused even if only the compiler finds it, except with --no-types", async () => {
    const path = join(folder, "with");
    const text = `import { playbook, z } from "furrow";
const port: number = "80";
export default playbook({ name: "x", vars: z.object({}), plays: [{ hosts: "all", tasks: () => [port > 1 && []] }] });
`;
    writeFileSync(join(path, "site.ts"), text);
    for (const command of ["check", "run", "list"]) {
      const { code, text: said } = await furrow(path, command, "site.ts", "-i", "inventory.ts");
      expect({ command, code, said }).toEqual({
        command,
        code: 1,
        said: expect.stringMatching(/^E_TYPES.*\n +at +site\.ts:2:7/) as string,
      });
    }
    expect(connections).toBe(0);
    expect(await furrow(path, "list", "site.ts", "-i", "inventory.ts", "--no-types")).toMatchObject({ code: 0 });
  });
});
