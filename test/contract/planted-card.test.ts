import { describe, expect, test } from "vitest";
import { absent, z } from "../../src/authoring.ts";
import { type Case, contractOf } from "../../src/testing/index.ts";
import { broken, casesOf, params, type Params, parts, planted, there } from "./planted.ts";

test("a task that keeps every law breaks none", () => {
  expect(contractOf(planted({}), casesOf(planted({})))).toContainEqual(expect.stringContaining("another task"));
  const module = planted({});
  expect(contractOf(module, casesOf(module, "x"), { folder: "motd" })).toEqual([]);
});

test("a value that is not a task module is reported", () => {
  expect(contractOf(() => {}, [])).toEqual(["this is not a task module: make it with task()"]);
});

describe("the card", () => {
  test.each([
    { what: "a name that is not its folder's", over: { name: "motto" }, says: 'its folder "motd" requires "motd"' },
    { what: "a summary that describes", over: { summary: "Keeps a file" }, says: 'begins with "Keeps"' },
    { what: "a summary without a verb", over: { summary: "The file" }, says: 'begins with "The", which is not a verb' },
    { what: "a summary with a full stop", over: { summary: "Keep a file." }, says: "ends in a full stop" },
    { what: "no examples", over: { examples: [] }, says: "there is no example" },
    { what: "an example that does not fit", over: { examples: [{ path: 1 }] }, says: "does not fit the params" },
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
    { what: "params that accept misspelt names", over: { params: z.object(parts) }, says: "z.strictObject" },
    { what: "a title of two lines", over: { title: () => "a\nb" }, says: "the title is not one line" },
    {
      what: "a title with a secret",
      over: { title: (p: Params) => `motd ${p.content}` },
      says: "the title contains a secret",
    },
    { what: "a title that throws", over: { title: () => z.string().parse(1) }, says: "the title function fails" },
    { what: "a pattern without a kind", over: { disturbs: () => ["files:/a"] }, says: "whose kind is not defined" },
    { what: "a pattern that is invalid", over: { mayProvide: () => ["unit"] }, says: "which is not a pattern" },
  ])("$what", ({ over, says }) => {
    const module = planted({}, over);
    expect(broken(module, casesOf(module, "x"))).toContain(says);
  });
});

describe("the cases", () => {
  const module = planted({});
  const [missing, right] = casesOf(module) as [Case, Case];
  test.each([
    { what: "none", cases: [], says: "there are no cases" },
    { what: "no case that is right", cases: [missing], says: "nothing has to be done" },
    { what: "no case that differs", cases: [right], says: 'no case shows "own" not as wanted' },
    {
      what: "no case that is absent",
      cases: [right, { ...missing, now: { own: { ...there, text: "other" } } }],
      says: 'no case shows "own" absent',
    },
    { what: "other steps", cases: [right, { ...missing, steps: ["remove /a"] }], says: 'the case says ["remove /a"]' },
    { what: "a refusal", cases: [right, { ...missing, refusal: "no" }], says: 'the case refuses with "no"' },
    { what: "a value too many", cases: [right, { ...missing, now: { own: absent, x: 1 } }], says: '"x", which is not' },
    { what: "a value too few", cases: [right, { ...missing, now: {} }], says: "now lacks a value for: own" },
    {
      what: "a value no host can give",
      cases: [right, { ...missing, now: { own: { type: "file" } } }],
      says: "is not a value that file can read",
    },
    {
      what: "params that do not match",
      cases: [right, { ...missing, call: module({ path: 1 } as never) }],
      says: "wrong",
    },
  ])("$what", ({ cases, says }) => {
    expect(broken(module, cases)).toContain(says);
  });

  test("no case that shows removal", () => {
    const own = planted(
      {},
      { params: z.strictObject({ ...parts, state: z.literal("absent").optional().describe("x") }) },
    );
    expect(broken(own)).toMatch(/how state: "absent" removes something[^]*if nothing exists/);
  });
});
