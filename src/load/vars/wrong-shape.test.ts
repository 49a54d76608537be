import { describe, expect, it } from "vitest";
import { z } from "zod";
import { playbook } from "../../core/authoring/playbook.ts";
import type { FurrowError } from "../../core/errors.ts";
import { secretText } from "../../core/params/schema.ts";
import { checkVars } from "./check-vars.ts";
import { mergeHosts, type Settings } from "./precedence.ts";

const hosts = (vars: Settings): ReturnType<typeof mergeHosts> =>
  mergeHosts({ hosts: { web1: { vars: {} } }, groups: { web: { hosts: ["web1"] } } }, { vars, connection: {} });

describe("a value of the wrong shape", () => {
  const secret = secretText();
  const shapes: Readonly<Record<string, z.ZodType>> = {
    list: z.array(secret),
    object: z.strictObject({ pw: secret }),
    record: z.record(z.string(), secret),
    tuple: z.tuple([z.string(), secret]),
    catchall: z.object({}).catchall(secret),
    lazy: z.lazy(() => z.object({ pw: secret })),
    optional: z.object({ deep: z.array(z.object({ pw: secret })).optional() }),
    union: z.union([z.array(secret), z.object({ pw: secret })]),
  };

  it.each(Object.keys(shapes))("is not shown if it is given in place of a %s of secrets", async (name) => {
    const schema = z.object({ it: shapes[name] as z.ZodType });
    const book = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
    for (const value of ["List2-S3cret", 4711471147, { other: { more: "List2-S3cret" }, deep: "List2-S3cret" }]) {
      const said = { it: { value, origin: "--var" } };
      const failure = await checkVars(book, hosts(said), "inventory.ts").catch(
        (error: unknown) => (error as FurrowError).failure,
      );
      expect(JSON.stringify(failure)).not.toMatch(/S3cret|47114711/);
    }
  });

  it.each<[string, z.ZodType, unknown]>([
    ["a mapping in place of a list", z.array(z.object({ password: z.string() })), { ann: { password: "hunter2" } }],
    ["a list in place of a text", z.string(), [{ apiToken: "hunter2" }]],
    ["JSON that does not parse", z.array(z.string()), '[{"password":"hunter2"'],
    ["a text in place of a list", z.array(z.string()), "https://ann:hunter2@host"],
  ])("is shown without the values under the names of secrets: %s", async (_name, it, value) => {
    const book = { path: "site.ts", playbook: playbook({ name: "site", vars: z.object({ it }), plays: [] }) };
    const said = { it: { value, origin: "--var" } };
    const failure = await checkVars(book, hosts(said), "inventory.ts").catch(
      (error: unknown) => (error as FurrowError).failure,
    );
    expect(failure).toHaveProperty("current");
    expect(JSON.stringify(failure)).not.toContain("hunter2");
  });

  it("is shown if it contains no secret, even next to one", async () => {
    const schema = z.object({ pw: secret.optional(), ports: z.array(z.number()) });
    const book = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
    const said = { ports: { value: "eighty", origin: "--var" } };
    await expect(checkVars(book, hosts(said), "inventory.ts")).rejects.toMatchObject({
      failure: { current: '"eighty" (--var)' },
    });
  });
});
