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
