import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { FurrowError } from "../../core/errors.ts";
import { playbook } from "../../core/authoring/playbook.ts";
import { redact } from "../../core/secrets/redact.ts";
import { secretText } from "../../core/params/schema.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { mergeHosts, type Settings } from "./precedence.ts";
import { checkVars } from "./check-vars.ts";

const vars = z.object({
  version: z.string().startsWith("v"),
  nodes: z.array(z.object({ name: z.string(), mac: z.string() })).min(1),
  retries: z.number().default(3),
});
const loaded = { path: "site.ts", playbook: playbook({ name: "site", vars, plays: [] }) };

function hosts(values: Record<string, Record<string, unknown>>, flags: Settings = {}): ReturnType<typeof mergeHosts> {
  const entries = Object.entries(values).map(([name, own]) => [name, { vars: own }]);
  const definition = {
    hosts: Object.fromEntries(entries) as Record<string, { vars: Record<string, unknown> }>,
    groups: { web: { hosts: Object.keys(values) } },
  };
  return mergeHosts(definition, { vars: flags, connection: {} });
}

async function failureOf(...input: Parameters<typeof hosts>): Promise<FurrowError["failure"]> {
  try {
    await checkVars(loaded, hosts(...input), "inventory.ts");
  } catch (error) {
    return (error as FurrowError).failure;
  }
  throw new Error("the vars were accepted");
}

const node = { name: "a", mac: "b" };

describe("checkVars", () => {
  it("returns typed vars with defaults, and leaves out vars of other playbooks", async () => {
    const checked = await checkVars(loaded, hosts({ web1: { version: "v1", nodes: [node], other: 1 } }), "i.ts");
    expect(checked.get("web1")).toEqual({ version: "v1", nodes: [node], retries: 3 });
  });

  it("names all hosts that lack a var, and where to set it", async () => {
    const failure = await failureOf({ web1: { nodes: [node] }, web2: { nodes: [node] } });
    expect(failure.what).toBe('the var "version" is missing');
    expect(failure.where?.host).toBe("web1, web2");
    expect(failure.hint).toBe("Set it in group web of inventory.ts, or with --var version=…");
  });

  describe("if the schema of the vars throws an error instead of reporting it", () => {
    const port = z.string().transform((text) => {
      if (text === "bad") throw new Error("no port: bad");
      return Number(text);
    });

    async function thrown(schema: z.ZodType): Promise<FurrowError> {
      const site = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
      const values = { web1: { name: "a", port: "bad" }, web2: { name: "a", port: "80" } };
      try {
        await checkVars(site, hosts(values), "i.ts");
      } catch (error) {
        return error as FurrowError;
      }
      throw new Error("the vars were accepted");
    }

    it("names the var, its host and the playbook", async () => {
      const error = await thrown(z.object({ name: z.string(), port }));
      expect(error.code).toBe("E_VARS");
      expect(error.failure).toEqual({
        what: 'the schema of the var "port" threw an error',
        where: { host: "web1", playbook: "site.ts" },
        current: "Error: no port: bad",
        hint: "Correct the var, or let the schema report it: call context.addIssue in .transform, or use .refine",
      });
    });

    it("names the var in a schema that is refined as a whole or has a default", async () => {
      const whole = z.object({ port: port.optional() }).refine(() => true);
      expect((await thrown(whole)).failure.what).toBe('the schema of the var "port" threw an error');
      expect((await thrown(whole.default({}))).failure.what).toBe('the schema of the var "port" threw an error');
    });

    it("does not show the message about a secret var, because the message may contain a part of the secret", async () => {
      const password = secretText().transform((): string => {
        throw new Error("starts with ba");
      });
      const { failure } = await thrown(z.object({ port: password }));
      expect(failure.what).toBe('the schema of the var "port" threw an error');
      expect(JSON.stringify(failure)).not.toContain("starts");
    });

    it("names the playbook if no single var causes the error", async () => {
      const whole = z.object({ port: z.string() }).transform(({ port }) => (port as unknown as () => void)());
      const { code, failure } = await thrown(whole);
      expect(code).toBe("E_VARS");
      expect(failure.what).toBe("the schema of the vars threw an error");
      expect(failure.where).toEqual({ host: "web1, web2", playbook: "site.ts" });
    });
  });

  it("collects every error of every host", async () => {
    const failure = await failureOf({ web1: { version: "1", nodes: [{ name: "a" }] }, web2: { version: "v1" } });
    expect(failure.what).toBe('the var "version" has a wrong value');
    expect(failure.current).toBe('"1" (host web1)');
    expect(failure.details).toEqual([
      'web1: the var "nodes.0.mac" is missing, expected a string. Correct it in host web1 of inventory.ts, or give --var nodes=…',
      'web2: the var "nodes" is missing, expected an array. Set it in group web of inventory.ts, or with --var nodes=…',
    ]);
  });

  it("does not treat the keys of a malformed secret var as secrets", async () => {
    const schema = z.object({ apiKey: secretText() });
    const book = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
    const said = { apiKey: { value: { a: "blue-walrus-9" }, origin: "--var" } };
    const failure = await checkVars(book, hosts({ web1: {} }, said), "inventory.ts").catch(
      (error: unknown) => (error as FurrowError).failure,
    );
    expect(redact(JSON.stringify(failure))).toContain(String.raw`the var \"apiKey\" has a wrong value`);
    expect(redact("it was blue-walrus-9")).toBe("it was «secret var»");
  });

  it("reports a --var that looks like JSON but does not parse", async () => {
    const [broken] = [`[{"name":"a"`];
    const failure = await failureOf({ web1: { version: "v1" } }, { nodes: { value: broken, origin: "--var" } });
    expect(failure.hint).toContain("it looks like JSON but does not parse");
    const other = await failureOf({ web1: { version: "v1" } }, { nodes: { value: [{}], origin: "--var" } });
    expect(JSON.stringify(other)).not.toContain("looks like JSON");
    const none = await failureOf({ web1: { version: "v1" } }, { nodes: { value: [], origin: "--var" } });
    expect(none.hint).toBe("Correct --var nodes");
  });

  it("suggests the correct name of a misspelled var", async () => {
    const failure = await failureOf({ web1: { verison: "v1", nodes: [node] } });
    expect(failure.hint).toBe('Rename "verison" (host web1) to "version" if that is what you meant');
  });

  it("refuses a --var that the playbook does not declare", async () => {
    const failure = await failureOf(
      { web1: { version: "v1", nodes: [node] } },
      { retrys: { value: 1, origin: "--var" } },
    );
    expect(failure.what).toBe('the playbook has no var "retrys"');
    expect(failure.hint).toBe("Write --var retries=…");
  });

  it("accepts a number in any notation from the command line: `1.50` stays text unless the schema wants a number", async () => {
    const schema = z.object({ ratio: z.number(), count: z.int(), version: z.string() });
    const book = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
    const said = Object.fromEntries(
      Object.entries({ ratio: "1.50", count: "007", version: "1.10" }).map(([name, value]) => [
        name,
        { value, origin: "--var" },
      ]),
    );
    const checked = await checkVars(book, hosts({ web1: {} }, said), "inventory.ts");
    expect(checked.get("web1")).toEqual({ ratio: 1.5, count: 7, version: "1.10" });
    const wrong = { ...said, count: { value: "1.5", origin: "--var" } };
    await expect(checkVars(book, hosts({ web1: {} }, wrong), "inventory.ts")).rejects.toMatchObject({ code: "E_VARS" });
  });

  it("accepts --var zone=1 if the schema lists strings, and still refuses a number that it does not list", async () => {
    const schema = z.object({ zone: z.enum(["1", "2"]), on: z.literal(["true", "false"]) });
    const book = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
    const said = { zone: { value: 1, origin: "--var" }, on: { value: true, origin: "--var" } };
    const checked = await checkVars(book, hosts({ web1: {} }, said), "inventory.ts");
    expect(checked.get("web1")).toEqual({ zone: "1", on: "true" });
    const wrong = { ...said, zone: { value: 3, origin: "--var" } };
    await expect(checkVars(book, hosts({ web1: {} }, wrong), "inventory.ts")).rejects.toMatchObject({
      failure: { what: 'the var "zone" has a wrong value', current: "3 (--var)" },
    });
    await expect(checkVars(book, hosts({ web1: { zone: 1, on: "true" } }), "inventory.ts")).rejects.toMatchObject({
      failure: { what: 'the var "zone" has a wrong value' },
    });
  });

  it("says how to quote a number passed for a string, without revealing a secret", async () => {
    const schema = z.object({ sleep: z.string(), pw: secretText() });
    const book = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
    const said = { sleep: { value: 1, origin: "--var" }, pw: { value: 12345678, origin: "--var" } };
    const failure = await checkVars(book, hosts({ web1: {} }, said), "inventory.ts").catch(
      (error: unknown) => (error as FurrowError).failure,
    );
    expect(failure).toMatchObject({
      what: 'the var "sleep" has a wrong value',
      current: "1 (--var)",
      hint: `Quote it to pass a string: --var 'sleep="1"'`,
      details: [expect.stringContaining(`Quote it to pass a string: --var 'pw="…"'`)],
    });
    expect(JSON.stringify(failure)).not.toContain("12345678");
    expect(redact("the password is 12345678")).toBe("the password is «secret var»");
  });
});

describe("the default of a secret var", () => {
  const text = secretText() as unknown as z.ZodString;
  const schemas = {
    plain: text.default("default-1"),
    described: text.default("default-2").describe("a key"),
    caught: text.catch("default-3"),
    optional: text.optional().default("default-4"),
    inside: z.object({ key: text.default("default-5") }).default({ key: "default-6" }),
    list: z.array(z.object({ key: text.default("default-7") })),
    prefault: text.prefault("default-8"),
    open: z.string().default("shown"),
  };

  it("is redacted", async () => {
    const secretive = { path: "site.ts", playbook: playbook({ name: "site", vars: z.object(schemas), plays: [] }) };
    const checked = await checkVars(secretive, hosts({ web1: { list: [{}], caught: 1 } }), "i.ts");
    const values = checked.get("web1") as Record<string, unknown> & {
      inside: { key: unknown };
      list: { key: unknown }[];
    };
    const { plain, described, caught, optional, prefault, inside, list, open } = values;
    for (const value of [plain, described, caught, optional, prefault, inside.key, list[0]?.key]) {
      expect(value).toBeInstanceOf(Secret);
    }
    expect(open).toBe("shown");
    expect(redact("default-1 default-4 default-6 default-7")).not.toContain("default");
  });
});

it.each(["constructor", "toString"])("a declared var named %s that is not set is not set", async (name) => {
  const schema = z.object({ [name]: z.string().optional() });
  const book = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
  const checked = await checkVars(book, hosts({ web1: {} }), "inventory.ts");
  expect((checked.get("web1") as Record<string, unknown>)[name]).toBeUndefined();
  const needed = { ...book, playbook: playbook({ name: "site", vars: z.object({ [name]: z.string() }), plays: [] }) };
  await expect(checkVars(needed, hosts({ web1: {} }), "inventory.ts")).rejects.toMatchObject({
    failure: { what: `the var "${name}" is missing` },
  });
});

it.each(["constructor", "toString", "valueOf", "hasOwnProperty"])(
  "treats a var named %s, a property of every object, like any other var",
  async (name) => {
    const schema = z.object({ pw: secretText().optional() });
    const book = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
    const said = { [name]: { value: 1, origin: "--var" } };
    await expect(checkVars(book, hosts({ web1: {} }, said), "inventory.ts")).rejects.toMatchObject({
      failure: { what: `the playbook has no var "${name}"` },
    });
    const fromInventory = await checkVars(book, hosts({ web1: { [name]: 1 } }), "inventory.ts");
    expect([...fromInventory.keys()]).toEqual(["web1"]);
  },
);
