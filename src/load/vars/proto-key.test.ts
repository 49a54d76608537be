import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { playbook } from "../../core/authoring/playbook.ts";
import type { FurrowError } from "../../core/errors.ts";
import { checkCommandLine, checkVars } from "./check-vars.ts";
import { mergeHosts, type Settings } from "./precedence.ts";
import { parseVarFlags } from "./var-flag.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-proto-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const vars = z.object({ images: z.record(z.string(), z.object({ url: z.string() })).default({}) });
const loaded = { path: "site.ts", playbook: playbook({ name: "site", vars, plays: [] }) };
const json = '{"__proto__":{"url":"x"},"debian":{"url":"y"}}';

async function failureOf(act: () => Promise<unknown>): Promise<FurrowError["failure"] | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return (error as FurrowError).failure;
  }
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return `@${join(folder, name)}`;
}

describe("an entry named __proto__ is refused, because it would be dropped silently", () => {
  const says = {
    what: 'the var "images" has a wrong value',
    current: expect.stringContaining("a key named __proto__") as string,
    expected: "keys with other names: JavaScript drops a key named __proto__",
  };
  const hosts = (flags: Settings, own: Record<string, unknown> = {}) =>
    mergeHosts({ hosts: { web1: { vars: own } } }, { vars: flags, connection: {} });

  test.each([
    ["in --var name=JSON", () => `images=${json}`],
    ["in --var JSON", () => `{"images":${json}}`],
    ["in a JSON file", () => file("a.json", `{"images":${json}}`)],
    ["in a YAML file", () => file("a.yaml", "images:\n  debian: { url: y }\n  __proto__: { url: x }\n")],
  ])("%s", async (_what, flag) => {
    const flags = await parseVarFlags([flag()]);
    expect(await failureOf(() => checkVars(loaded, hosts(flags), "i.ts"))).toMatchObject(says);
    expect(await failureOf(() => checkCommandLine(loaded, flags))).toMatchObject(says);
  });

  test("in an inventory, and at any depth", async () => {
    expect(await failureOf(() => checkVars(loaded, hosts({}, { images: JSON.parse(json) }), "i.ts"))).toMatchObject(
      says,
    );
    const deep = { images: { debian: JSON.parse('{"url":"y","labels":[{"__proto__":1}]}') as unknown } };
    expect(await failureOf(() => checkVars(loaded, hosts({}, deep), "i.ts"))).toMatchObject({
      what: 'the var "images.debian.labels.0" has a wrong value',
    });
  });

  test("but not in vars of other playbooks", async () => {
    expect(await failureOf(() => checkVars(loaded, hosts({}, { other: JSON.parse(json) }), "i.ts"))).toBeUndefined();
  });
});
