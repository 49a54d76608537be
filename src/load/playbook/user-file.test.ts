import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { FurrowError } from "../../core/errors.ts";
import { importFailure } from "./compile-error.ts";
import { hostList, isHostList } from "../inventory/host-list.ts";
import { loadInventory } from "../inventory/inventory-file.ts";
import { loadPlaybook } from "./playbook-file.ts";
import { importUserFile } from "./user-file.ts";

// Node's own errors for files that do not compile are tested with the real command, in test/screens.
const folder = mkdtempSync(join(tmpdir(), "furrow-load-"));
afterAll(() => rmSync(folder, { recursive: true }));

function put(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

async function failureOf(promise: Promise<unknown>): Promise<FurrowError> {
  try {
    await promise;
  } catch (error) {
    return error as FurrowError;
  }
  throw new Error("it was loaded");
}

const signal = new AbortController().signal;

describe("loadPlaybook", () => {
  it("suggests the file with the closest name", async () => {
    put("site.ts", "export default 1;");
    const error = await failureOf(loadPlaybook(join(folder, "sites.ts")));
    expect(error.code).toBe("E_PLAYBOOK");
    expect(error.failure.hint).toBe(`Write ${join(folder, "site.ts")} instead`);
  });

  it.each([
    ["number.ts", "export default 1;", "the default export", "1"],
    ["named.ts", "export const site = 1;", "has no default export", "it exports site"],
    ["inventory.ts", "export default { inventory: true, hosts: {} };", "the default export", "an inventory"],
    ["play.ts", 'export default { playbook: true, plays: [{ hosts: "all" }] };', "play 1 of", undefined],
    ["confirm.ts", 'export default { playbook: true, confirm: "sure?", plays: [] };', '"confirm" of', '"sure?"'],
  ])("refuses %s", async (name, text, what, current) => {
    const error = await failureOf(loadPlaybook(put(name, text)));
    expect(error.code).toBe("E_PLAYBOOK");
    expect(error.failure.what).toContain(what);
    expect(error.failure.current).toBe(current);
  });

  it("refuses a FIFO, which has no end", async () => {
    const path = join(folder, "pipe.ts");
    spawnSync("mkfifo", [path]);
    const error = await failureOf(loadPlaybook(path));
    expect([error.code, error.failure.what, error.failure.current]).toEqual([
      "E_PLAYBOOK",
      `${path} is not a playbook`,
      "a FIFO",
    ]);
  });

  it.each(["Promise.reject(new Error('no'))", "Promise.resolve({ playbook: true, plays: [] })"])(
    "asks to await a promise: %s",
    async (value) => {
      const error = await failureOf(loadPlaybook(put(`promise-${value.length}.ts`, `export default ${value};`)));
      expect([error.failure.current, error.failure.hint]).toEqual(["a promise", 'Write "export default await …"']);
    },
  );

  it("names the file that throws something other than an Error", async () => {
    const path = put("null.ts", "throw null;");
    const { code, failure } = await failureOf(loadPlaybook(path));
    expect(code).toBe("E_PLAYBOOK");
    expect(failure).toMatchObject({
      what: `the playbook ${path} threw null while loading`,
      where: { source: path },
      hint: "Throw an Error instead: it knows its line",
    });
  });

  it("refuses a YAML file because of its name", async () => {
    const error = await failureOf(loadPlaybook(put("site.yml", "- hosts: all")));
    expect(error.failure.current).toBe('a file that ends in ".yml"');
  });
});

describe("loadInventory", () => {
  it("accepts host lists and local", async () => {
    const list = await loadInventory("web1,root@192.0.2.7:2222,", { signal });
    expect(list.definition.hosts).toEqual({
      web1: { address: "web1" },
      "192.0.2.7": { address: "192.0.2.7", user: "root", port: 2222 },
    });
    const { definition } = await loadInventory("local", { signal });
    expect(definition.hosts["local"]?.transport).toBe("local");
  });

  it("explains an entry with a user or a port but no comma", async () => {
    for (const word of ["root@web1", "web1:2291", "root@127.0.0.1:2291"]) {
      const error = await failureOf(loadInventory(word, { signal }));
      expect(error.failure.hint).toContain(`-i ${word},`);
    }
  });

  it("explains a name without a comma", async () => {
    const error = await failureOf(loadInventory("web1", { signal }));
    expect(error.failure.hint).toContain('"-i web1,"');
  });

  it("refuses a default export that is not an inventory", async () => {
    const error = await failureOf(loadInventory(put("list.ts", "export default [1, 2];"), { signal }));
    expect(error.failure.current).toBe("a list of 2");
  });

  it("adds hosts from sources, and lets the file override them", async () => {
    const text = `export default { inventory: true,
      hosts: { web1: { port: 2222 } }, groups: { web: { hosts: ["web1"] } },
      sources: [{ source: "test", list: async () => ({
        hosts: { web1: { port: 1, user: "found" }, web9: {} }, groups: { web: { hosts: ["web9"], vars: { a: 1 } } }, leftOut: [] }) }] };`;
    const { definition } = await loadInventory(put("sourced.ts", text), { signal });
    expect(definition.hosts["web1"]).toMatchObject({ port: 2222, user: "found" });
    expect(definition.groups?.["web"]).toMatchObject({ hosts: ["web9", "web1"], vars: { a: 1 } });
  });

  it("names the source that failed", async () => {
    const text = `export default { inventory: true, hosts: {},
      sources: [{ source: "ec2 eu-west-1", list: async () => { throw new Error("no credentials"); } }] };`;
    const error = await failureOf(loadInventory(put("failing.ts", text), { signal }));
    expect(error.failure.what).toContain("ec2 eu-west-1");
    expect(error.failure.current).toBe("no credentials");
  });
});

describe("hostList", () => {
  it("is recognized by a comma", () => {
    expect([isHostList("web1,"), isHostList("local"), isHostList("web1"), isHostList("inventory.ts")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("refuses two different entries with one address, which would become one host", () => {
    const read = (): unknown => hostList("root@127.0.0.1:2291,root@127.0.0.1:2292");
    expect(read).toThrow(
      expect.objectContaining({
        code: "E_INVENTORY",
        failure: expect.objectContaining({
          what: "two entries of the host list have the name 127.0.0.1",
          current: "root@127.0.0.1:2291 and root@127.0.0.1:2292",
          hint: 'Give each a name in an inventory file: hosts: { one: { address: "127.0.0.1", user: "root", port: 2291 }, … }',
        }) as unknown,
      }) as Error,
    );
    expect(() => hostList("web1,admin@web1")).toThrow("web1");
  });

  it("treats a repeated entry as one host", () => {
    expect(Object.keys(hostList("web1,web1,admin@web2:22,admin@web2:22").hosts)).toEqual(["web1", "web2"]);
  });

  it.each([["a b,"], ["web*,"], ["::1,"], [","]])("refuses %s", (text) => {
    expect(() => hostList(text)).toThrow(expect.objectContaining({ code: "E_INVENTORY" }) as Error);
  });
});

describe("importFailure", () => {
  it("names the line in the user's file that threw", () => {
    const error = new TypeError("boom");
    error.stack = `TypeError: boom\n    at parse (${import.meta.dirname}/x.ts:1:1)\n    at file:///home/me/site.ts:7:3`;
    const failure = importFailure(error, "site.ts", "E_PLAYBOOK", "playbook").failure;
    expect(failure.where?.source).toBe("/home/me/site.ts:7:3");
  });
});

describe("importUserFile", () => {
  const inventory = { noun: "inventory", code: "E_INVENTORY", expected: "inventory({ … })" } as const;

  it.each([
    ["10.77.1.11", "-i 10.77.1.11,"],
    ["root@10.77.1.11", "-i root@10.77.1.11,"],
    ["web1.example.org", "-i web1.example.org,"],
    ["root@127.0.0.1:2291", "-i root@127.0.0.1:2291,"],
    ["127.0.0.1:2291", "-i 127.0.0.1:2291,"],
    ["web1:2291", "-i web1:2291,"],
    ["root@web1", "-i root@web1,"],
  ])("suggests a comma if the inventory looks like a host: %s", async (word, said) => {
    const error = await failureOf(importUserFile(word, inventory));
    expect(error.code).toBe("E_INVENTORY");
    expect(error.failure.hint).toContain(said);
  });

  it.each(["[::1]:2291", "root@[2001:db8::7]"])(
    "says that a host list cannot contain an IPv6 address: %s",
    async (word) => {
      const error = await failureOf(importUserFile(word, inventory));
      expect(error.failure.hint).toBe(
        `Put an IPv6 address in an inventory file: hosts: { web1: { address: "${word.includes("::1") ? "::1" : "2001:db8::7"}" } }`,
      );
    },
  );

  it.each(["hosts.ts", "inventory/prod.mjs", "some words"])(
    "reports only a missing file if the inventory does not look like a host: %s",
    async (word) => {
      const error = await failureOf(importUserFile(word, inventory));
      expect(error.failure.hint).not.toContain("comma");
    },
  );
});
