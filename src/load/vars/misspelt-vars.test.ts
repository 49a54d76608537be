import { expect, test } from "vitest";
import { z } from "zod";
import { misspeltVars } from "./misspelt-vars.ts";
import { mergeHosts, type Settings } from "./precedence.ts";

const schema = z.strictObject({
  harvesterVersion: z.string().default("v1.4.0"),
  image: z.string().optional(),
  mtu: z.int().default(1500),
  disk1: z.string().optional(),
});

function noticesOf(
  hosts: Record<string, { vars: Record<string, unknown> }>,
  flags: Settings = {},
  vars: z.ZodType = schema,
): readonly string[] {
  return misspeltVars(vars, mergeHosts({ hosts }, { vars: flags, connection: {} }), "inventory.ts");
}

test("names a misspelled var once, with its place and what was probably meant", () => {
  const vars = { harvesterVerison: "v1.5.0" };
  expect(noticesOf({ metal: { vars }, other: { vars } })).toEqual([
    'inventory.ts (host metal): "harvesterVerison" is not a var of this playbook, so it is not used; did you mean "harvesterVersion"?',
  ]);
});

test("treats swapped letters, another letter case and other separators as typos", () => {
  for (const name of ["iamge", "harvesterversion", "harvester_version", "imag"])
    expect(noticesOf({ metal: { vars: { [name]: "v1" } } })).toHaveLength(1);
});

test("reports nothing for vars of other playbooks, or if the var that was meant is set", () => {
  expect(noticesOf({ metal: { vars: { harvesterVersion: "v1", harvesterVerison: "v2" } } })).toEqual([]);
  expect(noticesOf({ metal: { vars: { release: "v1", mode: 1, rancherVersion: "v2", harvester: 3 } } })).toEqual([]);
  const flags = { image: { value: "a", origin: "--var" } };
  expect(noticesOf({ metal: { vars: { iamge: "v1" } } }, flags)).toEqual([]);
});

test("reports nothing for a short name, or for one that differs only in its number", () => {
  expect(noticesOf({ metal: { vars: { mtx: 1, disk2: "/dev/a" } } })).toEqual([]);
});

test("reports nothing if the playbook accepts any var", () => {
  const vars = z.looseObject({ image: z.string().optional() });
  expect(noticesOf({ metal: { vars: { iamge: "a" } } }, {}, vars)).toEqual([]);
});
