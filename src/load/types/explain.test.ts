import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { isUsers, readDiagnostics } from "./diagnostics.ts";
import { typesError } from "./explain.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-explain-"));
writeFileSync(join(folder, "site.ts"), 'const port = 1, state = "strated";\nconst password: "x" = "hunter2";\n');
writeFileSync(join(folder, "call.ts"), 't.file({ path: "/a" })\nt.file({ path: 7, mode: 420 })\n');
afterAll(() => rmSync(folder, { recursive: true }));

function explained(output: string): object {
  return typesError(readDiagnostics(output, folder), folder).failure;
}

it.each<[string, string, object]>([
  [
    "a name that an object does not have",
    "site.ts(1,7): error TS2551: Property 'prot' does not exist on type '{ port: number; }'. Did you mean 'port'?",
    { what: '"prot" does not exist here', expected: "one of port", hint: 'Write "port" instead of "prot"' },
  ],
  [
    "a task without a suggestion from the compiler",
    `site.ts(1,7): error TS2339: Property 'crom' does not exist on type 'typeof import("/app/node_modules/furrow/tasks/index")'.`,
    { what: '"crom" does not exist here', hint: 'Write "cron" instead of "crom"' },
  ],
  [
    "a name without a suggestion from the compiler",
    "site.ts(1,7): error TS2353: Object literal may only specify known properties, and 'contnet' does not exist in type 'OrRef<{ path: string; content: string | Secret; } | { ...; }>'.",
    { what: '"contnet" does not exist here', hint: 'Write "content" instead of "contnet"' },
  ],
  [
    "a literal",
    `site.ts(1,7): error TS2322: Type '"strated"' is not assignable to type '"started" | "stopped" | undefined'.`,
    {
      what: '"strated" is not allowed here',
      expected: '"started" or "stopped"',
      hint: 'Write "started" instead of "strated"',
    },
  ],
  [
    "a task with several forms",
    "site.ts(1,7): error TS2769: No overload matches this call.\n  The last overload gave the following error.\n    Argument of type '{ name: string; }' is not assignable to parameter of type 'CronParams'.\n      Types of property 'name' are incompatible.",
    {
      what: "argument of type '{ name: string; }' is not assignable to parameter of type 'CronParams'",
      current: "types of property 'name' are incompatible",
    },
  ],
  [
    "a missing property, reported under another message",
    "site.ts(1,7): error TS2345: Argument of type '{}' is not assignable.\n  Property 'path' is missing in type '{}' but required in type '{ path: string; }'.",
    { what: '"path" is missing here', hint: 'Add "path"' },
  ],
  [
    "a param that one form of a task requires",
    `call.ts(1,8): error TS2345: Argument of type '{ path: string; }' is not assignable to parameter of type 'OrRef<{ path: string; mode?: string | undefined; content: string | Secret; } | { ...; }>'.\n  Type '{ path: string; }' is not assignable to type '{ path: string; mode?: string | undefined; content: string | Secret; } | ... 8 more ...'.\n    Property 'state' is missing in type '{ path: string; }' but required in type '{ readonly path: string; readonly state: "absent"; }'.`,
    {
      what: 'a param is missing here, such as "content" or "state"',
      hint: "Add the param that you mean; furrow doc file lists them",
      where: { source: `${folder}/call.ts:1:8` },
    },
  ],
  [
    "a misspelled param in an object that was made before the call",
    `call.ts(1,8): error TS2345: Argument of type '{ path: string; contnet: string; }' is not assignable to parameter of type 'OrRef<{ path: string; content: string | Secret; } | { ...; }>'.\n  Property 'state' is missing in type '{ path: string; contnet: string; }' but required in type '{ readonly path: string; readonly state: "absent"; }'.`,
    { what: '"contnet" does not exist here', hint: 'Write "content" instead of "contnet"', where: {} },
  ],
  [
    "a value of the wrong type",
    "call.ts(2,10): error TS2322: Type 'number' is not assignable to type 'string | AnyRef<string | undefined> | undefined'.",
    { what: 'wrong value for "path"', current: "a value of type number", expected: "string", where: {} },
  ],
  [
    "a value of the wrong type that the compiler reports for all params",
    "call.ts(2,8): error TS2345: Argument of type '{ path: number; mode: number; }' is not assignable to parameter of type 'OrRef<{ path: string; }>'.\n  Types of property 'mode' are incompatible.\n    Type 'number' is not assignable to type 'string | AnyRef<string> | Secret | { readonly name: () => string; } | undefined'.",
    { what: 'wrong value for "mode"', expected: "string or a secret", hint: 'Correct "mode"', where: {} },
  ],
  [
    "an output that does not exist yet",
    "site.ts(1,7): error TS2339: Property 'stdout' does not exist on type 'Ref<CommandOutput>'.",
    { hint: expect.stringMatching(/^Use output\.map/) as string },
  ],
  [
    "an error that it cannot explain",
    "site.ts(1,7): error TS9999: Something Else.",
    { what: "something Else", hint: "Correct that line" },
  ],
])("says what is wrong with %s and what to do", (_what, output, failure) => {
  const where = { source: `${folder}/site.ts:1:7` };
  expect(explained(output)).toMatchObject({ where, ...failure });
});

it("names all errors, the first one in full", () => {
  const line = (at: number): string => `site.ts(1,${at}): error TS2304: Cannot find name 'a${at}'.`;
  const { details } = explained(Array.from({ length: 30 }, (_, at) => line(at + 1)).join("\n")) as {
    details: string[];
  };
  expect(details[0]).toBe(`site.ts:1:2  cannot find name 'a2'. Remove "a2", or declare it`);
  expect(details.at(-1)).toBe("and 10 more");
});

it("shows no string from a line about a secret", () => {
  const said = explained(`site.ts(2,7): error TS2322: Type '"hunter2"' is not assignable to type '"x"'.`);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

it.each([
  `Argument of type '"hunter2-S3cr3t"' is not assignable to parameter of type 'number'.`,
  `Type '"hunter2-S3cr3t"' is not assignable to type '"x"'.`,
  `Type '{ a: "hunter2-S3cr3t"; }' is not assignable to type 'number'.`,
])("shows no string that comes from another line, which may be a secret: %s", (text) => {
  writeFileSync(join(folder, "elsewhere.ts"), 'const words = { db: "hunter2-S3cr3t" } as const;\nuse(words.db);\n');
  const said = explained(`elsewhere.ts(2,5): error TS2345: ${text}`);
  expect(JSON.stringify(said)).not.toContain("hunter2");
  expect(said).toMatchObject({ hint: "Correct that line" });
});

it("leaves out packages, furrow's own files and diagnostics without a file", () => {
  const own = join(import.meta.dirname, "explain.ts");
  const output = [
    `node_modules/a/b.d.ts(1,1): error TS1: A.`,
    `${own}(1,1): error TS1: B.`,
    "error TS5: C.",
    "site.ts(1,1): error TS1: D.",
  ];
  const users = readDiagnostics(output.join("\n"), folder).filter(isUsers);
  expect(users.map(({ lines }) => lines)).toEqual([["D."]]);
});
