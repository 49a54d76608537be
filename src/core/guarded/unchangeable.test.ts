import { format, inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { callUser } from "../authoring/user-code.ts";
import type { FurrowError } from "../errors.ts";
import { guarded } from "./guarded.ts";
import { layoutOfNames, layoutOfSchema } from "./layout.ts";

/** What a playbook may do with vars if it is not type-checked. */
interface Mutable {
  arr: string[];
  db: { host?: string; port?: number; extra?: string };
  nodes: { port: number }[];
  record: Record<string, string>;
  any: { list: string[] };
  when: Date;
  names: Set<string>;
}

function inPlace(list: string[], method: "reverse" | "sort"): string[] {
  return list[method]();
}

function mutable(): Mutable {
  const shape = z.object({
    arr: z.array(z.string()),
    db: z.object({ host: z.string(), port: z.number().optional(), extra: z.string().optional() }),
    nodes: z.array(z.object({ port: z.number() })),
    record: z.record(z.string(), z.string()),
    any: z.any(),
    when: z.string().transform((text) => new Date(text)),
    names: z.array(z.string()).transform((list) => new Set(list)),
  });
  return guarded(
    shape.parse({
      arr: ["a", "b"],
      db: { host: "h" },
      nodes: [{ port: 1 }],
      record: { a: "1" },
      any: { list: ["x"] },
      when: "2020-01-01",
      names: ["n"],
    }),
    layoutOfSchema(shape),
    { path: "vars" },
  ) as unknown as Mutable;
}

describe("changing a guarded value, which furrow passes to several calls,", () => {
  it.each<[string, (vars: Mutable) => unknown]>([
    ["reverse", (vars) => inPlace(vars.arr, "reverse")],
    ["sort", (vars) => inPlace(vars.arr, "sort")],
    ["push", (vars) => vars.arr.push("c")],
    ["pop", (vars) => vars.arr.pop()],
    ["splice", (vars) => vars.arr.splice(0, 1)],
    ["an index", (vars) => (vars.arr[0] = "x")],
    ["length", (vars) => (vars.arr.length = 0)],
    ["a list of objects", (vars) => vars.nodes.push({ port: 2 })],
    ["an object in a list", (vars) => (vars.nodes[0] as { port: number }).port++],
    ["a property", (vars) => (vars.db.host += "!")],
    ["a new property", (vars) => (vars.db.extra = "x")],
    ["delete", (vars) => delete vars.db.host],
    ["Object.assign", (vars) => Object.assign(vars.db, { host: "x" })],
    ["a var itself", (vars) => (vars.arr = [])],
    ["a record", (vars) => (vars.record["b"] = "2")],
    ["data without a schema", (vars) => vars.any.list.push("y")],
  ])("is an error with the line and how to copy it: %s", (_how, change) => {
    const vars = mutable();
    const before = JSON.stringify(vars);
    const { code, failure } = userError(() => change(vars));
    expect(code).toBe("E_PLAYBOOK");
    expect(failure.where?.source).toMatch(/unchangeable\.test\.ts:\d+:\d+$/);
    expect(failure.what).toContain("cannot be changed");
    expect(failure.hint).toMatch(/^Copy it first/);
    expect(JSON.stringify(vars)).toBe(before);
  });

  it("leaves copies and objects of classes as they are", () => {
    const vars = mutable();
    expect(vars.arr.toReversed()).toEqual(["b", "a"]);
    expect(inPlace([...vars.arr], "sort").concat("c")).toEqual(["a", "b", "c"]);
    expect({ ...vars.db, host: "x" }).toEqual({ host: "x" });
    expect(vars.when.toISOString()).toBe("2020-01-01T00:00:00.000Z");
    expect(vars.names.has("n")).toBe(true);
    expect(structuredClone(vars.record)).toEqual({ a: "1" });
    expect(structuredClone(vars.arr)).toEqual(["a", "b"]);
    expect(Object.freeze(vars).db).toBe(vars.db);
  });

  it("does not change the data that was guarded", () => {
    const data = { list: ["a"] };
    guarded(data, layoutOfNames({ list: true }), { path: "facts" });
    data.list.push("b");
    expect(data.list).toEqual(["a", "b"]);
  });

  it("works with data that contains itself", () => {
    const data: { own?: object; list: unknown[] } = { list: [] };
    data.own = data;
    data.list.push(data);
    const own = guarded(data, layoutOfNames({ own: true, list: true }), { path: "vars" });
    expect(own.list[0]).toBe((own.list[0] as typeof own).own);
  });
});

function userError(act: () => unknown): FurrowError {
  try {
    callUser("the function", act);
  } catch (error) {
    return error as FurrowError;
  }
  throw new Error("it did not throw");
}

describe("an object that is used as a string", () => {
  it.each<[string, (vars: Mutable) => unknown, string, string]>([
    ["a template", (vars) => `db ${vars.db as unknown as string}`, "vars.db", "Write vars.db.host"],
    ["a sum", (vars) => "port " + (vars.record as unknown as string), "vars.record", "Write vars.record.a"],
    ["a list in a text", (vars) => `list ${[vars.db] as unknown as string}`, "vars.db", "JSON.stringify(vars.db)"],
    ["join", (vars) => (vars.nodes as unknown as string[]).join(), "vars.nodes[]", "such as `port`"],
    ["a number", (vars) => Number(vars.db), "vars.db", "Write vars.db.host"],
    ["the whole", (vars) => `all ${vars as unknown as string}`, "vars", "Write vars.arr"],
    ["data without a schema", (vars) => `any ${vars.any as unknown as string}`, "vars.any", "Write vars.any.list"],
  ])("is an error instead of [object Object]: %s", (_how, read, what, hint) => {
    const { code, failure } = userError(() => read(mutable()));
    expect(code).toBe("E_PLAYBOOK");
    expect(failure.what).toBe(`${what} is an object, but is used as a string`);
    expect(failure.where?.source).toMatch(/unchangeable\.test\.ts:\d+:\d+$/);
    expect(failure.hint).toContain(hint);
  });

  it("may be printed, compared and parsed", () => {
    const vars = mutable();
    expect(inspect(vars.db)).toBe("{ host: 'h' }");
    expect(format("%s %O %j", vars.record, vars.db, vars.db)).toContain("{ host: 'h' }");
    expect(vars.arr.join()).toBe("a,b");
    expect(typeof vars.db).toBe("object");
    expect((vars.db as unknown) === "h").toBe(false);
    expect(z.record(z.string(), z.string()).parse(vars.record)).toEqual({ a: "1" });
    expect(z.strictObject({ host: z.string() }).parse(vars.db)).toEqual({ host: "h" });
    expect(Object.keys({ ...vars.db })).toEqual(["host"]);
  });
});
