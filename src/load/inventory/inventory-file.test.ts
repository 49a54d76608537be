import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FurrowError } from "../../core/errors.ts";
import { inventoryCache } from "./inventory-cache.ts";
import { loadInventory } from "./inventory-file.ts";
import { mergeHosts } from "../vars/precedence.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-inventory-"));
const { signal } = new AbortController();
const before = process.env["XDG_STATE_HOME"];

beforeAll(() => {
  process.env["XDG_STATE_HOME"] = folder;
});
afterAll(() => {
  if (before === undefined) delete process.env["XDG_STATE_HOME"];
  else process.env["XDG_STATE_HOME"] = before;
  rmSync(folder, { recursive: true, force: true });
});

function put(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

async function failureOf(promise: Promise<unknown>): Promise<FurrowError["failure"]> {
  return promise.then(
    () => {
      throw new Error("nothing was thrown");
    },
    (error: unknown) => (error as FurrowError).failure,
  );
}

const source = (name: string, listing: string): string =>
  `{ source: ${JSON.stringify(name)}, list: async (context) => (${listing}) }`;

describe("several inventories", () => {
  it("merges files and host lists in order, and names the file of each value", async () => {
    const one = put(
      "one.ts",
      `export default { inventory: true, user: "a", become: { user: "u", method: "su" },
      hosts: { web1: { port: 1, vars: { x: 1, y: 1 } } }, groups: { web: { hosts: ["web1"], vars: { z: 1 } } } };`,
    );
    const two = put(
      "two.ts",
      `export default { inventory: true, user: "b", become: { user: "v" },
      hosts: { web1: { vars: { x: 2 } } }, groups: { web: { hosts: ["web9"], vars: { w: 2 } } } };`,
    );
    const loaded = await loadInventory([one, two, "web9,"], { signal });
    expect(loaded.label).toBe(`${one} and ${two} and web9,`);
    const [web1, web9] = mergeHosts(loaded.definition, undefined, loaded.origins);
    expect(web1?.vars).toEqual({
      x: { value: 2, origin: `host web1 (${two})` },
      y: { value: 1, origin: `host web1 (${one})` },
      z: { value: 1, origin: `group web (${one})` },
      w: { value: 2, origin: `group web (${two})` },
    });
    expect(web1?.connection).toMatchObject({
      user: { value: "b", origin: two },
      port: { value: 1, origin: `host web1 (${one})` },
      "become.user": { value: "v", origin: two },
      "become.method": { value: "su", origin: one },
    });
    expect(web9?.groups).toEqual(["web"]);
  });

  it("still reports a group member that no inventory defines", async () => {
    const one = put("lone.ts", `export default { inventory: true, hosts: {}, groups: { web: { hosts: ["web1"] } } };`);
    expect((await failureOf(loadInventory([one, "web2,"], { signal }))).what).toContain('names the host "web1"');
  });
});

describe("sources", () => {
  it("accepts a single source, or a list of sources, inventories and functions in which later entries win", async () => {
    const alone = put("alone.ts", `export default ${source("ec2", "{ hosts: { a: {} }, leftOut: [] }")};`);
    expect(Object.keys((await loadInventory(alone, { signal })).definition.hosts)).toEqual(["a"]);
    const list = put(
      "list-of.ts",
      `export default [
      { inventory: true, hosts: { a: { port: 1, user: "x" } }, groups: { ours: { hosts: ["b"] } } },
      ${source(
        "ec2",
        `{ hosts: { a: { port: 2 }, b: { vars: { zone: "eu" } } }, groups: {},
        origins: { hosts: { b: { "vars.zone": "tag Zone" } } },
        leftOut: [{ host: "c", reason: "stopped" }, { host: "a", reason: "listed twice" }] }`,
      )},
      ({ zone }, { name }) => [zone && "zone_" + zone, name === "a" && "first"],
    ];`,
    );
    const loaded = await loadInventory(list, { signal });
    expect(loaded.leftOut).toEqual([{ host: "c", reason: "stopped" }]);
    const [a, b] = mergeHosts(loaded.definition, undefined, loaded.origins);
    expect(a?.connection).toEqual({
      port: { value: 2, origin: "host a (ec2)" },
      user: { value: "x", origin: "host a" },
    });
    expect([a?.groups, b?.groups]).toEqual([["first"], ["ours", "zone_eu"]]);
    expect(b?.vars["zone"]?.origin).toBe("tag Zone");
  });

  it("refuses machines of two clouds that have the same name, instead of merging them into one host", async () => {
    const cloud = (name: string, hosts: string): string =>
      put(`${name}-names.ts`, `export default ${source(name, `{ hosts: ${hosts}, leftOut: [] }`)};`);
    const aws = cloud("ec2", '{ web: { address: "192.0.2.1", vars: { a: 1 } }, db: {}, own: {} }');
    const gcp = cloud("gce", '{ web: { address: "192.0.2.2" }, db: {}, other: {} }');
    expect(await failureOf(loadInventory([aws, gcp], { signal }))).toMatchObject({
      what: `two sources list a host named "web": ec2 of ${aws} and gce of ${gcp}`,
      hint: "Rename one of the machines, exclude one with the filters of its source, or use these inventories in different runs",
      details: [`db: ec2 of ${aws} and gce of ${gcp}`],
    });
    const own = put("own-names.ts", `export default { inventory: true, hosts: { web: { user: "ann" } } };`);
    expect((await loadInventory([aws, own], { signal })).definition.hosts["web"]).toEqual({
      address: "192.0.2.1",
      user: "ann",
      vars: { a: 1 },
    });
  });

  it("refuses one machine name in two sources of one file, even if both sources have the same name", async () => {
    const twice = source("ec2", "{ hosts: { web: {} }, leftOut: [] }");
    const file = put("twice.ts", `export default [${twice}, { inventory: true, hosts: {}, sources: [${twice}] }];`);
    expect((await failureOf(loadInventory(file, { signal }))).what).toBe(
      `two sources list a host named "web": ec2 of ${file} and ec2 of ${file}`,
    );
  });

  it("passes the file's folder to a source", async () => {
    const file = put(
      "folder.ts",
      `export default ${source("s", "{ hosts: { a: { vars: { f: context.folder } } }, leftOut: [] }")};`,
    );
    expect((await loadInventory(file, { signal })).definition.hosts["a"]?.vars).toEqual({ f: folder });
  });

  it("does not suggest writing hosts by hand if a source found no machines", async () => {
    const file = put("no-machines.ts", `export default ${source("ec2 in eu-west-1", "{ hosts: {}, leftOut: [] }")};`);
    expect(await failureOf(loadInventory([file], { signal }))).toMatchObject({
      what: `the inventory ${file} has no hosts`,
      current: "ec2 in eu-west-1 found no machines",
      hint: "Check the account, region and filters of ec2 in eu-west-1, and that the machines exist and are running",
    });
  });

  it("names the hosts that were left out if none remain", async () => {
    const file = put(
      "none.ts",
      `export default ${source("s", `{ hosts: {}, leftOut: [{ host: "a", reason: "stopped" }] }`)};`,
    );
    expect((await failureOf(loadInventory(file, { signal }))).current).toBe("left out: a (stopped)");
  });

  it("validates a source's answer, and names the source", async () => {
    const file = put("bad.ts", `export default ${source("ec2", `{ hosts: { a: { adress: "x" } }, leftOut: [] }`)};`);
    expect((await failureOf(loadInventory(file, { signal }))).what).toContain('source ec2, is wrong: "hosts.a.adress"');
  });

  it.each([
    ["throws", "(vars) => vars.none.x", /threw an error for the host a/],
    ["returns an invalid group name", `() => "a b"`, /an invalid group name for the host a/],
    ["returns the name of a host", `() => "a"`, /both a host and a group/],
  ])("refuses a function that %s", async (name, text, what) => {
    const file = put(
      `constructed-${name.replaceAll(" ", "-")}.ts`,
      `export default { inventory: true, hosts: { a: {} }, constructed: ${text} };`,
    );
    expect((await failureOf(loadInventory(file, { signal }))).what).toMatch(what);
  });
});

describe("inventoryCache", () => {
  const at = (seconds: number, refresh = false): ReturnType<typeof inventoryCache> =>
    inventoryCache({ source: "ec2", now: new Date(1e12 + seconds * 1000), refresh, notice: () => {} });
  let asked = 0;
  const ask = async (): Promise<number> => (asked += 1);

  it("caches by key up to the maximum age, and asks again on refresh or if the clock went back", async () => {
    expect(await at(0).remembered("eu", 60, ask)).toBe(1);
    expect(await at(60).remembered("eu", 60, ask)).toBe(1);
    expect(await at(61).remembered("eu", 60, ask)).toBe(2);
    expect(await at(61).remembered("us", 60, ask)).toBe(3);
    expect(await at(62, true).remembered("eu", 60, ask)).toBe(4);
    expect(await at(63).remembered("eu", 60, ask)).toBe(4);
    expect(await at(0).remembered("eu", 60, ask)).toBe(5);
    expect(statSync(join(folder, "furrow/inventory-cache")).mode & 0o777).toBe(0o700);
  });

  it("does not cache a failure", async () => {
    const failing = at(100).remembered("bad", 60, () => Promise.reject(new Error("throttled")));
    await expect(failing).rejects.toThrow("throttled");
    expect(await at(100).remembered("bad", 60, async () => "fine")).toBe("fine");
  });
});
