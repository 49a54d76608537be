import { expect, test } from "vitest";
import { z } from "zod";
import type { Failure, FurrowError } from "../errors.ts";
import { parseInput } from "./params.ts";
import { text } from "./schema.ts";
import { secretOf } from "../secrets/secret.ts";

const secret = `key ${secretOf("v4lue", "key")}`;

test.each([
  { title: "described", schema: text().describe("a key") },
  { title: "optional", schema: text().optional().describe("a key") },
  { title: "refined", schema: text().refine((value) => value !== "") },
  { title: "in a record", schema: z.record(z.string(), text()) },
  {
    title: "in a record that is converted first",
    schema: z.preprocess((given) => given, z.strictObject({ a: text() })),
  },
  { title: "in a list", schema: z.array(text()).describe("keys") },
])("allows a secret for a text that is $title", ({ title, schema }) => {
  const value = title.includes("record") ? { a: secret } : title.includes("list") ? [secret] : secret;
  expect(parseInput(z.union([z.strictObject({ key: schema }), z.strictObject({})]), { key: value }, {})).toEqual({
    key: value,
  });
});

test("refuses a secret for a param of another type", () => {
  const schema = z.strictObject({ name: z.string().describe("a name") });
  expect(() => parseInput(schema, { name: secret }, {})).toThrow('param "name" cannot be secret');
});

test("uses the union's message if its params are missing, and the param's message if a value is wrong", () => {
  const schema = z.union([z.strictObject({ a: z.string("a text") }), z.strictObject({ b: z.string() })], {
    error: "an `a` or a `b`",
  });
  const expected = (input: object): unknown => {
    try {
      return parseInput(schema, input, {});
    } catch (error) {
      return (error as { failure: { expected: string } }).failure.expected;
    }
  };
  expect(expected({})).toBe("an `a` or a `b`");
  expect(expected({ a: 1 })).toBe("a text");
});

test("a wrong value of a param that all forms have is reported without the missing params of one form", () => {
  const exits = { okExit: z.array(z.int()).optional() };
  const schema = z.union([z.strictObject({ ...exits, a: z.string() }), z.strictObject({ ...exits, b: z.string() })], {
    error: "an `a` or a `b`",
  });
  const failure = (input: object): Failure => {
    try {
      parseInput(schema, input, {});
    } catch (error) {
      return (error as FurrowError).failure;
    }
    throw new Error("was accepted");
  };
  const wrong = {
    what: 'wrong value for param "okExit"',
    current: "3",
    expected: "an array",
    hint: 'Write "okExit" as an array: [3]',
  };
  expect(failure({ a: "x", okExit: 3 })).toEqual({ where: { param: "okExit" }, ...wrong });
  const both = { ...wrong, details: ["the params do not match the schema: expected an `a` or a `b`"] };
  expect(failure({ okExit: 3 })).toEqual({ where: { param: "okExit" }, ...both });
});

test("a param of another form of the task is reported as misplaced, without a spelling suggestion", () => {
  const schema = z.union([
    z.strictObject({ path: z.string(), state: z.literal("file").default("file"), content: z.string() }),
    z.strictObject({ path: z.string(), state: z.literal("absent") }),
  ]);
  expect(() => parseInput(schema, { path: "/a", state: "absent", content: "x" }, {})).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({
        what: 'misplaced param "content"',
        hint: 'Leave "content" out: it cannot be combined with the other given params',
      }) as unknown,
    }) as Error,
  );
});

test("does not report an undefined param as misplaced", () => {
  const schema = z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]);
  expect(parseInput(schema, { a: "x", b: undefined }, {})).toEqual({ a: "x" });
});

test.each([
  { schema: z.number(), expected: "a number" },
  { schema: z.record(z.string(), z.string()), expected: "an object" },
  { schema: z.string().min(3), expected: "at least 3 characters" },
  { schema: z.literal("on"), expected: '"on"' },
])("reports what zod expects without its 'Invalid input': $expected", ({ schema, expected }) => {
  expect(() => parseInput(z.strictObject({ a: schema }), { a: "" }, {})).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ expected }) as object }) as Error,
  );
});

test("does not quote a secret inside a param of the wrong shape", () => {
  const schema = z.strictObject({ users: z.array(z.object({ password: z.string() })) });
  expect(() => parseInput(schema, { users: { ann: { password: "hunter2" } } }, {})).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({ current: '{"ann":{"password":"(not shown)"}}' }) as object,
    }) as Error,
  );
});

test("does not quote a private key that was given by mistake, even if it is part of another value", () => {
  const key = "-----BEGIN EC PRIVATE KEY-----\nc2VjcmV0\n-----END EC PRIVATE KEY-----\n";
  const schema = z.strictObject({ content: z.string().regex(/^a$/), list: z.array(z.string()).max(1).optional() });
  for (const given of [{ content: key }, { content: "a", list: ["x", key] }, { content: { key } }, key]) {
    let said = "";
    try {
      parseInput(schema, given, {});
    } catch (error) {
      said = JSON.stringify((error as { readonly failure?: unknown }).failure);
    }
    expect(said).toContain("(not shown)");
    expect(said).not.toContain("c2VjcmV0");
  }
});
