import { describe, expect, test } from "vitest";
import { absent, z } from "../../src/authoring.ts";
import { type Case, contractOf } from "../../src/testing/index.ts";
import { broken, casesOf, params, type Params, parts, planted, there } from "./planted.ts";

test("a task that obeys every law is accepted", () => {
  expect(contractOf(planted({}), casesOf(planted({})))).toContainEqual(expect.stringContaining("another task"));
  const module = planted({});
  expect(contractOf(module, casesOf(module, "x"), { folder: "motd" })).toEqual([]);
});

test("a value that is not a task module is reported", () => {
  expect(contractOf(() => {}, [])).toEqual(["this is not a task module: create it with task()"]);
});

describe("the contract for a card", () => {
  test.each([
    {
      what: "a name that differs from its folder's",
      over: { name: "motto" },
      says: 'its folder "motd" requires "motd"',
    },
    { what: "a summary in the third person", over: { summary: "Keeps a file" }, says: 'begins with "Keeps"' },
    { what: "a summary without a verb", over: { summary: "The file" }, says: 'begins with "The", which is not a verb' },
    { what: "a summary with a period", over: { summary: "Keep a file." }, says: "ends with a period" },
    { what: "missing examples", over: { examples: [] }, says: "there is no example" },
    {
      what: "an example that does not fit the params",
      over: { examples: [{ path: 1 }] },
      says: "does not match the params",
    },
    {
      what: "a param that is not described",
      over: { params: z.strictObject({ ...parts, path: z.string() }) },
      says: 'param "path" is not described',
    },
    {
      what: "a param that one branch does not describe",
      over: {
        params: z.union([
          params,
          z.strictObject({ gone: z.literal(true).describe("Nothing there"), path: z.string() }),
        ]),
      },
      says: 'param "path" (Nothing there) is not described',
    },
    { what: "params that accept misspelled names", over: { params: z.object(parts) }, says: "z.strictObject" },
    { what: "a title of two lines", over: { title: () => "a\nb" }, says: "the title is not one line" },
    {
      what: "a title with a secret",
      over: { title: (p: Params) => `motd ${p.content}` },
      says: "the title contains a secret",
    },
    { what: "a title that throws", over: { title: () => z.string().parse(1) }, says: "the title function fails" },
    { what: "a pattern without a kind", over: { disturbs: () => ["files:/a"] }, says: "whose kind is not defined" },
    { what: "an invalid pattern", over: { mayProvide: () => ["unit"] }, says: "which is not a pattern" },
  ])("reports $what", ({ over, says }) => {
    const module = planted({}, over);
    expect(broken(module, casesOf(module, "x"))).toContain(says);
  });
});

describe("the contract for cases", () => {
  const module = planted({});
  const [missing, right] = casesOf(module) as [Case, Case];
  test.each([
    { what: "missing cases", cases: [], says: "there are no cases" },
    { what: "that no case shows a correct host", cases: [missing], says: "nothing has to be done" },
    { what: "that no case shows a wrong host", cases: [right], says: 'no case shows "own" in a wrong state' },
    {
      what: "that no case shows an absent object",
      cases: [right, { ...missing, now: { own: { ...there, text: "other" } } }],
      says: 'no case shows "own" absent',
    },
    {
      what: "steps that differ from the case's",
      cases: [right, { ...missing, steps: ["remove /a"] }],
      says: 'the case expects ["remove /a"]',
    },
    {
      what: "that a task does not refuse what the case expects it to refuse",
      cases: [right, { ...missing, refusal: "no" }],
      says: 'the case refuses with "no"',
    },
    {
      what: "one value too many",
      cases: [right, { ...missing, now: { own: absent, x: 1 } }],
      says: '"x", which is not',
    },
    { what: "one value too few", cases: [right, { ...missing, now: {} }], says: "`now` has no value for: own" },
    {
      what: "a value that no host can return",
      cases: [right, { ...missing, now: { own: { type: "file" } } }],
      says: "is not a value that file can return",
    },
    {
      what: "params that do not fit the schema",
      cases: [right, { ...missing, call: module({ path: 1 } as never) }],
      says: "wrong",
    },
  ])("reports $what", ({ cases, says }) => {
    expect(broken(module, cases)).toContain(says);
  });

  test("reports that no case covers a removal", () => {
    const own = planted(
      {},
      { params: z.strictObject({ ...parts, state: z.literal("absent").optional().describe("x") }) },
    );
    expect(broken(own)).toMatch(/how state: "absent" removes something[^]*if nothing exists/);
  });
});
