import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { FurrowError } from "../../core/errors.ts";
import { playbook } from "../../core/authoring/playbook.ts";
import { checkVars } from "./check-vars.ts";
import { mergeHosts } from "./precedence.ts";

/** The error from checkVars for the values of one host, from the command line or from the inventory. */
async function failureFor(
  vars: z.ZodType,
  value: Record<string, unknown>,
  origin: "--var" | "inventory" = "--var",
): Promise<FurrowError["failure"]> {
  const isFlag = origin === "--var";
  const flags = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, { value: one, origin }]));
  const hosts = mergeHosts(
    { hosts: { web1: { vars: isFlag ? {} : value } } },
    { vars: isFlag ? flags : {}, connection: {} },
  );
  try {
    await checkVars({ path: "site.ts", playbook: playbook({ name: "site", vars, plays: [] }) }, hosts, "inventory.ts");
  } catch (error) {
    return (error as FurrowError).failure;
  }
  throw new Error("the vars were accepted");
}

describe("if a key inside a var is unknown", () => {
  const inner = z.strictObject({ from: z.array(z.string()).optional(), ports: z.array(z.int()).optional() });
  const own = z.strictObject(
    { known: z.string().optional() },
    { error: ({ keys = [] }) => (keys as string[]).map((key) => `no ${key}: set \`prefix\` instead`).join("\n") },
  );
  const vars = z.object({ exposure: inner.optional(), config: own.optional() });

  it("suggests the full name of the key that was probably meant, not the name of another var", async () => {
    expect(await failureFor(vars, { exposure: { form: ["1.2.3.4/32"] } })).toMatchObject({
      what: 'the var "exposure" has no key "form"',
      expected: "one of from, ports",
      hint: 'In --var exposure, write "exposure.from" instead of "exposure.form"',
    });
  });

  it("suggests removing the key, not the var", async () => {
    expect((await failureFor(vars, { exposure: { zebra: 1 } })).hint).toBe(
      'Remove "exposure.zebra" from --var exposure',
    );
    expect((await failureFor(vars, { exposure: { zebra: 1 } }, "inventory")).hint).toBe(
      'Remove "exposure.zebra" in host web1 of inventory.ts',
    );
  });

  it("shows the schema's own message about each key", async () => {
    expect(await failureFor(vars, { config: { hostname: "x", vip: "y" } })).toEqual({
      what: 'the var "config" has no key "hostname"',
      where: { playbook: "site.ts" },
      expected: "no hostname: set `prefix` instead",
      hint: 'Remove "config.hostname" from --var config',
      details: [
        'web1: the var "config" has no key "vip", expected no vip: set `prefix` instead. Remove "config.vip" from --var config',
      ],
    });
  });
});

describe("if a key that the user chooses is not allowed", () => {
  const form = "a name of at most 8 characters: lower-case letters, digits and dashes";
  const machine = z.strictObject({ cores: z.int(), userData: z.string().optional() });
  const vars = z.object({
    machines: z.record(
      z
        .string()
        .max(8, form)
        .regex(/^[a-z0-9-]+$/, form),
      machine,
    ),
  });

  it("says that the key is wrong and what is allowed, but does not show the value", async () => {
    for (const name of ["app_1", "a".repeat(70)])
      expect(await failureFor(vars, { machines: { [name]: { cores: 1, userData: "LEAK-seed" } } })).toEqual({
        what: `the key "${name}" of the var "machines" is not allowed`,
        where: { playbook: "site.ts" },
        expected: form,
        hint: "Correct --var machines",
      });
  });

  it("says so in the details too", async () => {
    const { details } = await failureFor(vars, { machines: { a: { cores: "one" }, b_1: { cores: 1 } } }, "inventory");
    expect(details).toEqual([
      `web1: the key "b_1" of the var "machines" is not allowed, expected ${form}. Correct it in host web1 of inventory.ts, or give --var machines=…`,
    ]);
  });
});

it("names every branch of a union if the value fits none of them", async () => {
  const size = z.union([z.enum(["small", "medium"]), z.strictObject({ processors: z.int() })]);
  const vars = z.object({ size, off: z.strictObject({ ports: z.int() }).or(z.literal(false)) });
  expect(await failureFor(vars, { size: "huge", off: "none" })).toMatchObject({
    expected: 'one of "small", "medium", or an object',
    details: [expect.stringContaining("expected an object, or false")],
  });
  expect(await failureFor(vars, { size: { processors: "many" }, off: false })).toMatchObject({
    what: 'the var "size.processors" has a wrong value',
    expected: "a number",
  });
});
