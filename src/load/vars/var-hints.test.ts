import { expect, it } from "vitest";
import { z } from "zod";
import * as furrow from "../../authoring.ts";
import { playbook } from "../../core/authoring/playbook.ts";
import type { FurrowError } from "../../core/errors.ts";
import { secretText } from "../../core/params/schema.ts";
import { checkVars } from "./check-vars.ts";
import { mergeHosts, type Settings } from "./precedence.ts";

async function hintOf(vars: z.ZodType, own: Record<string, unknown>, flags: Settings = {}): Promise<unknown> {
  const hosts = mergeHosts({ hosts: { web1: { vars: own } } }, { vars: flags, connection: {} });
  try {
    return await checkVars({ path: "site.ts", playbook: playbook({ name: "site", vars, plays: [] }) }, hosts, "i.ts");
  } catch (error) {
    return (error as FurrowError).failure.hint;
  }
}

const given = (value: unknown) => ({ value, origin: "--var" });
const nodes = z.object({ nodes: z.array(z.string()) });

it.each([
  ["a,b", `["a","b"]`],
  ["a", `["a"]`],
  [7, "[7]"],
  ["it's", `["…","…"]`],
  [true, `["…","…"]`],
])("shows how a list is written for --var nodes=%s", async (value, list) => {
  expect(await hintOf(nodes, {}, { nodes: given(value) })).toBe(`Write a list as JSON: --var 'nodes=${list}'`);
});

it("still says that a list looks like JSON if the JSON has an error", async () => {
  expect(await hintOf(nodes, {}, { nodes: given('["a",') })).toMatch(/looks like JSON but does not parse/);
});

it("knows that one cloud's region is another's location", async () => {
  const azure = z.object({ location: z.string() });
  expect(await hintOf(azure, { region: "westeurope" })).toBe(
    'Rename "region" (host web1) to "location" if that is what you meant',
  );
  const flags = { region: given("westeurope") };
  expect(await hintOf(azure, { location: "westeurope" }, flags)).toBe("Write --var location=…");
});

it.each([
  ["a secret", z.object({ token: secretText() })],
  ["a string whose name suggests a secret", z.object({ token: z.string() })],
])("suggests a safe way to set %s that is missing, never the command line", async (_, vars) => {
  const hint = await hintOf(vars, {});
  expect(hint).toBe('Set it in host web1 of i.ts: secret.env("TOKEN"), generated("token") or secret.prompt("token")');
  expect(await hintOf(vars, { token: 7 })).not.toContain("--var");
});

it("suggests for a missing secret only functions that furrow exports", async () => {
  const hint = String(await hintOf(z.object({ token: secretText() }), {}));
  const called = [...hint.matchAll(/([\w.]+)\(/g)].map(([, name = ""]) => name.split("."));
  expect(called).toHaveLength(3);
  for (const [first = "", second] of called) {
    const found = (furrow as Record<string, unknown>)[first] as Record<string, unknown>;
    expect(second === undefined ? found : found[second]).toBeTypeOf("function");
  }
});

it("suggests only --var for a missing var that names the target of one run", async () => {
  const vars = z.object({ node: z.int().describe("Number of the node").meta({ perRun: true }) });
  expect(await hintOf(vars, {})).toBe("Give --var node=…");
  expect(
    await hintOf(
      vars.superRefine(() => undefined),
      {},
    ),
  ).toBe("Give --var node=…");
  expect(await hintOf(z.object({ node: z.int() }), {})).toBe("Set it in host web1 of i.ts, or with --var node=…");
});

it("refuses a target of one run in an inventory, because each later run would repeat it", async () => {
  const list = z.array(z.string()).default([]).meta({ perRun: true });
  const vars = z.object({ reinstall: list });
  expect(await hintOf(vars, { reinstall: ["node-2"] })).toBe(
    "Remove it from host web1 of i.ts; if this run needs it, give --var reinstall=…",
  );
  expect(await hintOf(vars, { reinstall: 7 })).toContain("Remove it from host web1");
  for (const origin of ["--var", "--var @more.yaml"]) {
    const flags = { reinstall: { value: ["node-2"], origin } };
    expect(await hintOf(vars, { reinstall: ["node-1"] }, flags)).toBeInstanceOf(Map);
  }
  expect(await hintOf(vars, {})).toBeInstanceOf(Map);
});

it("reports a misspelled key, and where it was written, before the errors that follow from it", async () => {
  const vars = z
    .object({ networks: z.record(z.string(), z.string()).default({}), on: z.string() })
    .refine(({ networks, on }) => on in networks, { path: ["on"], message: "a name in networks" });
  const origin = "--var @m.yaml";
  const flags = { on: { value: "lan", origin }, network: { value: { lan: "br0" }, origin } };
  expect(await hintOf(vars, {}, flags)).toBe('In m.yaml, write "networks" instead of "network"');
});
