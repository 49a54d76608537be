import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Node } from "./group.ts";
import { composite, role } from "./role.ts";

const params = z.strictObject({ host: z.string(), nested: z.strictObject({ port: z.int().optional() }).optional() });
type Params = z.output<typeof params>;
const input: Params = { host: "web1", nested: {} };

/** Ways to run a function that lists tasks: as a role, and as the expansion of a composite. */
const callers: Record<string, (tasks: (given: Params) => readonly Node[]) => unknown> = {
  role: (tasks) => role({ name: "site", summary: "Keep a site", params }, tasks)(input),
  composite: (tasks) => {
    const card = { name: "site", summary: "Keep a site", params, examples: [input] };
    return composite(card, tasks)(input).expand(params.parse(input) as never);
  },
};

describe("a misspelled param, which z.object would drop silently,", () => {
  const open: Record<string, z.ZodType> = {
    "z.object": z.object({ a: z.string().optional() }),
    "an object with a refinement": z.object({ a: z.string().optional() }).refine(() => true),
    "a transformed object": z.object({ a: z.string().optional() }).transform((given) => ({ ...given, b: 1 })),
    "a union of objects": z.union([z.object({ a: z.string().optional() }), z.object({ c: z.string() })]),
  };
  test.each(Object.entries(open))("is refused by a role with %s", (_how, own) => {
    const site = role({ name: "site", summary: "Keep a site", params: own }, () => []);
    expect(() => site({ aa: "1" })).toThrow(
      expect.objectContaining({
        code: "E_PARAMS",
        failure: expect.objectContaining({ what: 'unknown param "aa"', hint: 'Write "a" instead of "aa"' }) as object,
      }) as Error,
    );
  });

  test.each<[string, z.ZodType, object]>([
    ["a loose object", z.looseObject({ a: z.string().optional() }), { aa: "1" }],
    ["a record", z.record(z.string(), z.string()), { aa: "1" }],
    ["a preprocessed object", z.preprocess(() => ({ a: "1" }), z.object({ a: z.string() })), { aa: "1" }],
    ["a param without a value", z.object({ a: z.string() }), { a: "1", aa: undefined }],
    ["any", z.any(), { aa: "1" }],
  ])("is accepted by %s", (_how, own, given) => {
    const site = role({ name: "site", summary: "Keep a site", params: own }, () => []);
    expect(site(given).name).toBe("site");
  });
});

describe.each(Object.entries(callers))("the params of a %s", (_kind, call) => {
  test.each<[string, (given: never) => unknown, object]>([
    [
      "hsot",
      (given: { hsot: string }) => given.hsot,
      { what: 'params has no "hsot"', hint: expect.stringContaining('"host"') as string },
    ],
    ["prot", (given: { nested: { prot: number } }) => given.nested.prot, { what: 'params.nested has no "prot"' }],
  ])("refuse the unknown name %s, and name the nearest one", (_name, read, failure) => {
    expect(() => call((given) => [String(read(given as never)) as never])).toThrow(
      expect.objectContaining({ code: "E_PLAYBOOK", failure: expect.objectContaining(failure) as object }) as Error,
    );
  });

  test("are undefined for a known name without a value", () => {
    let port: unknown = "unread";
    call((given) => {
      port = given.nested?.port;
      return [];
    });
    expect(port).toBeUndefined();
  });
});
