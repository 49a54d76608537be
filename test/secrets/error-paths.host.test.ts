import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { found } from "./needles.ts";

/**
 * Tests errors about a value that a schema marks as secret, or about text near it: no command may print the value. Each
 * case combines a source of vars, a mistake and a command, and has its own value, so furrow cannot have learned the
 * value in an earlier case. About 6 s.
 */
const folder = mkdtempSync(join(tmpdir(), "furrow-error-paths-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, text: string): string => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

/** Every source parses a value that consists of digits as a number. Messages truncate, quote and wrap words. */
const digits = (): string => Array.from({ length: 12 }, () => randomInt(1, 10)).join("");
const letters = (): string => Array.from({ length: 14 }, () => "abcdefghijkmnpqrstuvwxyz"[randomInt(24)]).join("");

/** Schemas for the var `pw`, each with a value that does not match; `v` is the secret to search for. */
const ways: readonly (readonly [string, string, (v: string) => unknown, "digits" | "letters"])[] = [
  ["a number instead of a string", "secretText()", Number, "digits"],
  ["a list with the value", "secretText()", (v) => [v], "letters"],
  ["the value as a key", "secretText()", (v) => ({ [v]: 1 }), "letters"],
  ["a refinement", 'secretText().refine((s) => s.name === "x", "a text with a capital letter")', (v) => v, "letters"],
  [
    "a message that quotes",
    "secretText().refine(() => false, { error: (i) => `not ${i.input}` })",
    (v) => v,
    "letters",
  ],
  ["an optional var", "secretText().optional()", Number, "digits"],
  ["a var with a default", 'secretText().default("d")', Number, "digits"],
  ["a var with a description", 'secretText().describe("the password")', Number, "digits"],
  ["in a list", "z.array(secretText())", (v) => [Number(v)], "digits"],
  ["in a record", "z.record(z.string(), secretText())", (v) => ({ a: Number(v) }), "digits"],
  [
    "in an object with another mistake",
    "z.object({ a: secretText(), b: z.number() })",
    (v) => ({ a: v, b: "x" }),
    "letters",
  ],
  ["in a strict object", "z.strictObject({ a: secretText() })", (v) => ({ a: v, c: 1 }), "letters"],
  ["in an object with a refinement", "z.object({ a: secretText() }).refine(() => false)", (v) => ({ a: v }), "letters"],
  [
    "in a union",
    "z.union([z.object({ a: secretText() }), z.object({ b: z.number() })])",
    (v) => ({ a: Number(v) }),
    "digits",
  ],
  [
    "in an object whose refinement still runs, and quotes the value",
    "z.object({ a: secretText() }).refine(() => false, { when: () => true, error: (i) => JSON.stringify(i.input) })",
    (v) => ({ a: Number(v) }),
    "digits",
  ],
  ["in a tuple", "z.tuple([z.string(), secretText()])", (v) => ["a", Number(v)], "digits"],
  ["an object instead of a string", "secretText()", (v) => ({ inside: { deep: [v] } }), "letters"],
  ["a correct value, while another var is wrong", "secretText()", (v) => v, "letters"],
  [
    "a long string before the value",
    "z.object({ a: z.string(), b: secretText() }).refine(() => false)",
    (v) => ({ a: "x".repeat(172), b: v }),
    "letters",
  ],
];

interface Case {
  readonly title: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly value: string;
}

const playbookText = (schema: string): string => `
import { playbook, secretText, z } from "furrow";
export default playbook({ name: "p", vars: z.object({ pw: ${schema}, other: z.number() }), plays: [{ hosts: "all", tasks: () => [] }] });
`;

/** Each source returns -i and --var arguments for one value of `pw`. */
const sources: Readonly<Record<string, (value: unknown, id: string) => readonly string[]>> = {
  "--var": (value) => ["-i", "local", "--var", `pw=${typeof value === "string" ? value : JSON.stringify(value)}`],
  "a var file in JSON": (value, id) => ["-i", "local", "--var", `@${put(`${id}.json`, JSON.stringify({ pw: value }))}`],
  "a var file in YAML": (value, id) => ["-i", "local", "--var", `@${put(`${id}.yaml`, JSON.stringify({ pw: value }))}`],
  "the vars of an inventory": (value, id) => [
    "-i",
    put(
      `${id}.ts`,
      `import { inventory } from "furrow"; export default inventory({ hosts: { h: { transport: "local", vars: { pw: ${JSON.stringify(value)} } } } });`,
    ),
  ],
  "the environment through an inventory": (_value, id) => [
    "-i",
    put(
      `${id}.ts`,
      `import { inventory } from "furrow"; export default inventory({ hosts: { h: { transport: "local" } }, vars: { pw: JSON.parse(process.env["CANARY"]) } });`,
    ),
  ],
  group_vars: (value, id) => {
    put(`${id}/group_vars/web.yml`, JSON.stringify({ pw: value }));
    return ["-i", put(`${id}/hosts`, "[web]\nh ansible_connection=local\n")];
  },
  "an INI inventory": (value, id) => [
    "-i",
    put(`${id}/hosts`, `[web]\nh ansible_connection=local\n[web:vars]\npw=${JSON.stringify(value)}\n`),
  ],
};

const commands = (site: string): readonly (readonly string[])[] => [
  ["check", site],
  ["run", site, "--json"],
  ["list", site],
  ["inventory"],
  ["inventory", "--host", "h"],
  ["inventory", "--json"],
  ["inventory", "--format", "ansible"],
];

function generate(): Case[] {
  return ways.flatMap(([way, schema, make, kind], at) =>
    Object.entries(sources).flatMap(([source, wordsOf], from) =>
      commands("").flatMap(([command = "", , ...flags], which) => {
        // Every mistake is combined with every source, and each pair with one command, in rotation; the first mistakes
        // are combined with all commands.
        if (at > 1 && which !== (at + from) % 3) return [];
        const value = kind === "digits" ? digits() : letters();
        const id = `c${at}-${from}-${which}`;
        const site = put(`${id}-site.ts`, playbookText(schema));
        const data = make(value);
        const words =
          command === "inventory" ? [command, ...commands(site)[which]!.slice(1)] : [command, site, ...flags];
        const host = source === "--var" || source.startsWith("a var file") ? "local" : "h";
        return [
          {
            title: `${words[0]} ${flags.join(" ")}: ${way}, from ${source}`,
            words: [...words.map((word) => (word === "h" ? host : word)), ...wordsOf(data, id)],
            env: { CANARY: JSON.stringify(data) },
            value,
          },
        ];
      }),
    ),
  );
}

/** Mistakes in the files themselves and on the command line: the text near the mistake is a secret. */
function faultyTexts(): Case[] {
  const files: readonly (readonly [string, string, (v: string) => string])[] = [
    ["JSON with a mistake near the value", "f.json", (v) => `{"pw": ${v}, }`],
    ["JSON that is cut off", "f.json", (v) => `{"pw": "${v}`],
    ["YAML with an undefined alias", "f.yaml", (v) => `pw: *${v}\n`],
    ["YAML with an unclosed quote", "f.yaml", (v) => `pw: "${v}\nother: 1\n`],
    ["YAML with a tag", "f.yaml", (v) => `pw: !${v} 1\n`],
    ["YAML that is only a string", "f.yaml", (v) => v],
    ["YAML with text after a flow mapping", "f.yaml", (v) => `pw: {a: 1} ${v}\n`],
    ["YAML with bad indentation", "f.yaml", (v) => `a:\n    b: 1\n  pw: ${v}\n`],
  ];
  const ansible: readonly (readonly [string, string, (v: string) => string])[] = [
    ["a password of two words in INI", "hosts", (v) => `h1 db_password=first ${v}\n`],
    ["an INI line without an equals sign", "hosts", (v) => `[web]\nh1\n[web:vars]\n${v}\n`],
    ["an unclosed quote in INI", "hosts", (v) => `h1 db_password="${v}\n`],
    ["a YAML inventory with an alias", "hosts.yml", (v) => `all:\n  vars:\n    pw: *${v}\n`],
    ["a YAML inventory with a tag", "hosts.yml", (v) => `all:\n  vars:\n    pw: !${v} x\n`],
    ["a vars file that is a list", "group_vars/all.yml", (v) => `- ${v}\n`],
    ["a vars file with an unclosed quote", "group_vars/all.yml", (v) => `pw: "${v}\n`],
    ["JSON that is cut off", "hosts.json", (v) => `{"all": {"vars": {"pw": "${v}"`],
  ];
  const site = put("text-site.ts", playbookText("secretText()"));
  const all: Case[] = [];
  for (const command of ["check", "inventory"]) {
    const start = command === "check" ? [command, site] : [command];
    for (const [title, name, make] of files) {
      const value = letters();
      const path = put(`t${all.length}/${name}`, make(value));
      all.push({
        title: `${command}: ${title}`,
        words: [...start, "-i", "local", "--var", `@${path}`],
        env: {},
        value,
      });
    }
    for (const [title, name, make] of ansible) {
      const value = letters();
      const id = `t${all.length}`;
      if (name.includes("/")) put(`${id}/hosts`, "h1 ansible_connection=local\n");
      const path = put(`${id}/${name}`, make(value));
      const inventory = name.includes("/") ? join(folder, id, "hosts") : path;
      all.push({ title: `${command}: ${title}`, words: [...start, "-i", inventory], env: {}, value });
    }
    for (const shape of [(v: string) => [v], (v: string) => [`=${v}`], (v: string) => ["pw=correct", v]]) {
      const value = letters();
      all.push({
        title: `${command} --var`,
        words: [...start, "-i", "local", "--var", ...shape(value)],
        env: {},
        value,
      });
    }
    const value = letters();
    const broken = `import { inventory } from "furrow";\nexport default inventory({ hosts: {}, vars: { password: "${value}" "x" } });\n`;
    all.push({
      title: `${command}: a module`,
      words: [...start, "-i", put(`t${all.length}.ts`, broken)],
      env: {},
      value,
    });
  }
  return all;
}

const cases = [...generate(), ...faultyTexts()];

describe("a value that its schema marks as secret", () => {
  const script = join(import.meta.dirname, "command-lines.ts");
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
    input: JSON.stringify(cases.map(({ words, env }) => ({ words, env }))),
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", AWS_EC2_METADATA_DISABLED: "true" },
    maxBuffer: 1 << 28,
    timeout: 200_000,
  });
  const seen = status === 0 ? (JSON.parse(stdout) as { code: number; output: string }[]) : [];

  test("appears in no error and no listing of any command, regardless of the mistake and the source", () => {
    expect(status, stderr).toBe(0);
    const leaks = cases.flatMap(({ title, value }, index) => {
      const { output = "" } = seen[index] ?? {};
      const flat = output.replaceAll(/\s*\n\s*(?:\|\s*)?/g, " ");
      const half = value.slice(0, 7);
      const shown = found(output, { value }).length > 0 || flat.includes(value) || output.includes(half);
      return shown ? [`${title}\n${output}`] : [];
    });
    expect(leaks).toEqual([]);
    covered(`${cases.length} command lines with a secret near a mistake`);
  });

  test("causes only errors about vars, files and usage, and never E_BUG", () => {
    const failing = cases.flatMap(({ title, words }, index) => {
      const { code = -1, output = "" } = seen[index] ?? {};
      if (words[0] === "inventory" && code === 0) return [];
      return /E_(VARS|FILE|INVENTORY|USAGE|SECRET)/.test(output) && code !== 0 && !output.includes("E_BUG")
        ? []
        : [`${title}: ${code}\n${output}`];
    });
    expect(failing).toEqual([]);
  });
});
