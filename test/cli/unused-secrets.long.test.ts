import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-unused-secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "state"));

const authoring = JSON.stringify(join(root, "src/authoring.ts"));
const tasks = JSON.stringify(join(root, "tasks/index.ts"));

function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function inventoryOf(name: string, text: string): string {
  return put(name, `import { inventory, secret } from ${authoring};\nexport default inventory(${text});\n`);
}

function playbookOf(name: string, text: string): string {
  return put(
    name,
    `import { playbook, secretText, z } from ${authoring};\nimport * as t from ${tasks};\nexport default playbook(${text});\n`,
  );
}

/** Runs furrow without a terminal. */
function furrow(
  words: readonly string[],
  env: Record<string, string> = {},
): { readonly code: number | null; readonly out: string; readonly err: string } {
  const argv = [join(root, "bin/furrow.js"), ...words];
  const { status, stdout, stderr } = spawnSync("setsid", ["--wait", process.execPath, ...argv], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_STATE_HOME: join(folder, "state"), ...env },
  });
  return { code: status, out: stdout, err: stderr };
}

const vars = inventoryOf(
  "vars.ts",
  `{
  hosts: { here: { transport: "local" }, other: { transport: "local", become: { password: secret.env("FURROW_NOT_SET") } } },
  vars: { apiKey: secret.env("FURROW_NOT_SET"), asked: secret.prompt("DB password"), kept: secret.file("/nonexistent/key") },
}`,
);
const noVars = playbookOf(
  "no-vars.ts",
  `{ name: "P", plays: [{ hosts: "here", tasks: () => [t.assert({ that: [{ check: true, message: "x" }] })] }] }`,
);
const declares = (name: string): string =>
  playbookOf(
    `declares-${name}.ts`,
    `{ name: "P", vars: z.object({ ${name}: secretText() }), plays: [{ hosts: "here", tasks: () => [t.assert({ that: [{ check: true, message: "x" }] })] }] }`,
  );

describe("a secret that a command does not use", () => {
  test.each([
    ["ping", "here", "-i", vars],
    ["ping", "all", "-i", vars],
    ["facts", "here", "-i", vars],
    ["exec", "all", "-i", vars, "--", "true"],
    ["check", noVars, "-i", vars],
    ["run", noVars, "-i", vars],
  ])("may be missing: %s %s", (...words) => {
    expect(furrow(words)).toMatchObject({ code: 0, err: "" });
  });

  test("is still hidden in output if it can be read without asking the user", () => {
    const words = ["exec", "here", "-i", vars, "--", "echo", "long-api-key"];
    expect(furrow(words, { FURROW_NOT_SET: "long-api-key" }).out).not.toContain("long-api-key");
  });
});

describe("a secret that a command uses is required", () => {
  test.each([
    ["apiKey", "the environment variable FURROW_NOT_SET is not set"],
    ["asked", "DB password"],
    ["kept", "the file /nonexistent/key cannot be read"],
  ])("as a var that the playbook declares: %s", (name, problem) => {
    const { code, err } = furrow(["check", declares(name), "-i", vars]);
    expect([code, err]).toEqual([1, expect.stringMatching(new RegExp(`^E_\\w+ .*${problem}`))]);
  });

  test("as a var made from another secret", () => {
    const made = inventoryOf(
      "made.ts",
      `{ hosts: { here: { transport: "local" } }, vars: { apiKey: secret.env("FURROW_NOT_SET").map((text) => text + "!") } }`,
    );
    expect(furrow(["check", declares("apiKey"), "-i", made]).err).toContain("FURROW_NOT_SET is not set");
    expect(furrow(["check", noVars, "-i", made])).toMatchObject({ code: 0, err: "" });
  });

  test("as a host's become password, if the command becomes another user", () => {
    const { err } = furrow(["exec", "other", "--become", "-i", vars, "--", "true"]);
    expect(err).toContain("FURROW_NOT_SET is not set");
  });

  test("as the password of a host or of its jump host", () => {
    const ssh = inventoryOf(
      "ssh.ts",
      `{ hosts: {
        inner: { address: "127.0.0.1", port: 1, proxyJump: "jump" },
        jump: { address: "127.0.0.1", port: 1, password: secret.env("FURROW_NOT_SET") },
      } }`,
    );
    for (const host of ["inner", "jump"]) {
      expect(furrow(["ping", host, "-i", ssh]).err).toContain("FURROW_NOT_SET is not set");
    }
  });

  test.each([
    ["a play that uses facts", "({ facts }) => facts.os.id === 'none' ? [on('other', [later])] : [later]"],
    [
      "a composite",
      "() => { const made = t.command({ command: 'echo x', always: true }); return [made, late({ x: made.output.map(() => 'x') })]; }",
    ],
  ])("as a setting of a host on which %s may act", (_, body) => {
    const text = `import { composite, on, playbook, z } from ${authoring};
import * as t from ${tasks};
const later = t.assert({ that: [{ check: true, message: "x" }] });
const late = composite({ name: "late", summary: "x", params: z.strictObject({ x: z.string() }), examples: [] }, () => [on("other", [later])]);
export default playbook({ name: "P", plays: [{ hosts: "here", tasks: ${body} }] });
`;
    const { err } = furrow(["check", put("later.ts", text), "-i", vars, "--no-types"]);
    expect(err).toContain("FURROW_NOT_SET is not set");
  });

  test("as a setting of a host that the play reaches only through on(…)", () => {
    const other = put(
      "other.ts",
      `import { on, playbook } from ${authoring};\nimport * as t from ${tasks};\nexport default playbook({ name: "P", plays: [{ hosts: "here", tasks: () => [on("other", [t.assert({ that: [{ check: true, message: "x" }] })])] }] });\n`,
    );
    expect(furrow(["check", other, "-i", vars]).err).toContain("FURROW_NOT_SET is not set");
  });
});

describe("validate, which reads no secrets,", () => {
  test("names the environment variables that a run of this playbook needs and that are not set", () => {
    const missing = "environment variables that a run needs are not set: FURROW_NOT_SET";
    const { code, err } = furrow(["validate", declares("apiKey"), "-i", vars]);
    expect([code, err]).toEqual([0, expect.stringContaining(missing)]);
    expect(furrow(["validate", declares("apiKey"), "-i", vars], { FURROW_NOT_SET: "x" }).err).not.toContain("not set");
    expect(furrow(["validate", noVars, "-i", vars]).err).not.toContain("not set");
  });
});
