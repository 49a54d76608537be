import { describe, expect, it } from "vitest";
import { z } from "zod";
import { playbook } from "../../core/authoring/playbook.ts";
import type { FurrowError } from "../../core/errors.ts";
import { secretText } from "../../core/params/schema.ts";
import { mergeHosts, type Settings } from "./precedence.ts";
import { checkVars } from "./check-vars.ts";

describe("if vars do not fit together", () => {
  const either = z
    .object({ newMachine: z.string().optional(), replace: z.string().optional(), password: secretText().optional() })
    .refine((one) => (one.newMachine === undefined) !== (one.replace === undefined), "either `newMachine` or `replace`")
    .refine((one) => one.password === undefined, "no `password` for the vars `replace` and `newMachine`");
  const failed = async (own: Record<string, unknown>, said: Settings = {}, schema: z.ZodType = either) => {
    const book = { path: "site.ts", playbook: playbook({ name: "site", vars: schema, plays: [] }) };
    const error: unknown = await checkVars(
      book,
      mergeHosts({ hosts: { web1: { vars: own } } }, { vars: said, connection: {} }),
      "i.ts",
    ).catch((one: unknown) => one);
    return (error as FurrowError).failure;
  };

  it('names those that are missing, instead of the var ""', async () => {
    expect(await failed({})).toEqual({
      what: "the vars newMachine and replace are not a valid combination",
      where: { host: "web1", playbook: "site.ts" },
      current: "newMachine is not set, replace is not set",
      expected: "either `newMachine` or `replace`",
      hint: "Give --var newMachine=… or --var replace=…",
    });
  });

  it("says where the vars that are set come from", async () => {
    expect(await failed({ replace: "db" }, { newMachine: { value: "db-2", origin: "--var" } })).toMatchObject({
      current: 'newMachine is "db-2" (--var), replace is "db" (host web1)',
      hint: "Correct or omit --var newMachine or replace (host web1)",
    });
  });

  it("does not show a secret, and has a hint even if the schema names no var", async () => {
    const secret = await failed({ replace: "db", password: "x" });
    expect(secret.current).toContain("password is (not shown)");
    const none = await failed(
      { replace: "db" },
      {},
      z.object({ replace: z.string() }).refine(() => false, "luck"),
    );
    expect(none).toMatchObject({
      what: "the vars are not a valid combination",
      expected: "luck",
      hint: "Correct the vars in host web1 of i.ts, or with --var",
    });
  });
});
