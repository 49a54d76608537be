import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { FurrowError } from "../errors.ts";
import { guarded } from "./guarded.ts";
import { layoutOfNames, layoutOfSchema } from "./layout.ts";

/** Names that the compiler would refuse: these tests simulate user code that is not type-checked. */
type Names =
  | "disk"
  | "prot"
  | "hots"
  | "sise"
  | "colour"
  | "node"
  | "next"
  | "a"
  | "c"
  | "any"
  | "thing"
  | "ports"
  | "web"
  | "path"
  | "list"
  | "when"
  | "foo"
  | "name"
  | "os"
  | "di"
  | "addresses"
  | "eth0";
type Loose = { readonly [N in Names]: Loose } & { readonly nodes: readonly [Loose] & Loose; readonly length: number };
type Read = (vars: Loose) => unknown;

function guardedBy(shape: z.ZodType, data: unknown): Loose {
  const vars = shape.parse(data);
  return guarded(vars, layoutOfSchema(shape), { path: "vars", declaredIn: "the playbook's vars" }) as Loose;
}

function thrownBy(act: () => unknown): FurrowError {
  try {
    act();
  } catch (error) {
    return error as FurrowError;
  }
  throw new Error("it was read");
}

const schema = z.object({ port: z.number(), name: z.string().optional() });

describe("an unknown name", () => {
  it("is an error with the line and the nearest name: vars.prot", () => {
    const vars = guardedBy(schema, { port: 80 });
    const { code, failure } = thrownBy(() => ["port", vars.prot]);
    expect(code).toBe("E_PLAYBOOK");
    expect(failure).toMatchObject({
      what: 'vars has no "prot"',
      expected: "one of port, name",
      hint: 'Write "port" instead of "prot"',
    });
    expect(failure.where?.source).toMatch(/guarded\.test\.ts:\d+:\d+$/);
  });

  it.each<[string, Read]>([
    ["destructured", ({ prot }) => prot],
    ["in brackets", (vars) => vars["prot"]],
    ["with a question mark", (vars) => vars.prot?.length],
    ["in a callback for a list", (vars) => [1].map(() => vars.prot)],
  ])("is detected %s", (_how, read) => {
    expect(thrownBy(() => read(guardedBy(schema, { port: 80 }))).failure.hint).toContain('"port"');
  });

  it("is an error that says where to declare it if no name is similar", () => {
    expect(thrownBy(() => guardedBy(schema, { port: 80 }).colour).failure.hint).toBe(
      'Add "colour" to the playbook\'s vars, or remove it here',
    );
  });

  it.each<[string, z.ZodType, unknown, Read, string]>([
    ["an object", z.object({ node: schema }), { node: { port: 1 } }, (vars) => vars.node.prot, "vars.node"],
    [
      "a list",
      z.object({ nodes: z.array(schema) }),
      { nodes: [{ port: 1 }] },
      (vars) => vars.nodes[0].prot,
      "vars.nodes[]",
    ],
    [
      "a record",
      z.object({ nodes: z.record(z.string(), schema) }),
      { nodes: { a: { port: 1 } } },
      (vars) => vars.nodes.a.prot,
      "vars.nodes[…]",
    ],
    ["a default", z.object({ node: schema.default({ port: 1 }) }), {}, (vars) => vars.node.prot, "vars.node"],
    [
      "a preprocessed object",
      z.object({ node: z.preprocess((given) => given, schema) }),
      { node: { port: 1 } },
      (vars) => vars.node.prot,
      "vars.node",
    ],
    [
      "a frozen object",
      z.object({ node: schema.readonly() }).readonly(),
      { node: { port: 1 } },
      (vars) => vars.node.prot,
      "vars.node",
    ],
    [
      "a union",
      z.object({ disk: z.union([z.object({ path: z.string() }), z.object({ size: z.number() })]) }),
      { disk: { size: 1 } },
      (vars) => vars.disk.sise,
      "vars.disk",
    ],
    [
      "an intersection",
      schema.and(z.object({ host: z.string() })),
      { port: 1, host: "a" },
      (vars) => vars.hots,
      "vars",
    ],
    [
      "a recursive schema",
      z.object({
        get next() {
          return schema.optional();
        },
      }),
      { next: { port: 1 } },
      (vars) => vars.next.prot,
      "vars.next",
    ],
  ])("is detected inside %s", (_where, shape, data, read, path) => {
    expect(thrownBy(() => read(guardedBy(shape, data))).failure.what).toContain(`${path} has no `);
  });
});

describe("reading a guarded object", () => {
  const vars = guardedBy(schema, { port: 80 });

  it("returns undefined for a declared var without a value", () => {
    expect(vars.name).toBeUndefined();
  });

  it.each<[string, () => unknown, unknown]>([
    ["JSON.stringify", () => JSON.stringify({ vars }), '{"vars":{"port":80}}'],
    ["a spread", () => ({ ...vars }), { port: 80 }],
    ["in", () => "prot" in vars, false],
    ["Object.keys", () => Object.keys(vars), ["port"]],
    ["Object.entries", () => Object.entries(vars), [["port", 80]]],
    ["Object.assign", () => Object.assign({}, vars), { port: 80 }],
    ["Object.hasOwn", () => Object.hasOwn(vars, "prot"), false],
    ["Reflect.get", () => Reflect.get(vars, "prot"), undefined],
    ["a symbol", () => Reflect.get(vars, Symbol.iterator) as unknown, undefined],
    ["zod, which reads every name in its schema", () => z.object({ prot: z.string().optional() }).parse(vars), {}],
  ])("works with %s", (_what, read, seen) => {
    expect(read()).toEqual(seen);
  });

  it("works with await and a test runner's matchers", async () => {
    expect(await (vars as unknown as Promise<unknown>)).toBe(vars);
    expect(await Promise.resolve(vars)).toBe(vars);
    expect(vars).toEqual({ port: 80 });
    expect(vars).toMatchObject({ port: 80 });
    expect(() => expect(vars).toEqual({ port: 81 })).toThrow("81");
  });

  it.each<[string, z.ZodType, unknown, Read]>([
    ["a record", z.object({ ports: z.record(z.string(), z.number()) }), { ports: {} }, (own) => own.ports.web],
    ["a loose object", z.looseObject({ port: z.number() }), { port: 1 }, (own) => own.prot],
    [
      "the result of a transformation",
      z.object({ a: z.string() }).transform(({ a }) => ({ [a]: 1 })),
      { a: "b" },
      (own) => own.c,
    ],
    ["any", z.object({ any: z.any() }), { any: {} }, (own) => own.any.thing],
    ["a list", z.object({ list: z.array(schema) }), { list: [] }, (own) => Object.entries(own.list)[3]],
    [
      "the other branch of a union",
      z.union([z.object({ path: z.string() }), z.object({ size: z.number() })]),
      { size: 1 },
      (own) => own.path,
    ],
    ["an object of a class", z.object({ when: z.custom<Date>() }), { when: new Date(0) }, (own) => own.when.foo],
  ])("accepts any name in %s", (_what, shape, data, read) => {
    expect(read(guardedBy(shape, data))).toBeUndefined();
  });

  it("returns the same object each time", () => {
    const own = guardedBy(z.object({ node: schema, nodes: z.array(schema) }), {
      node: { port: 1 },
      nodes: [{ port: 1 }],
    });
    expect(own.node).toBe(own.node);
    expect(own.nodes).toBe(own.nodes);
    expect(own.nodes[0]).toBe(own.nodes[0]);
    expect(Array.isArray(own.nodes)).toBe(true);
  });

  it("accepts a list of names, some with an unknown layout", () => {
    const layout = layoutOfNames({ os: { id: true }, addresses: true });
    const values: unknown = { os: { id: "debian" }, addresses: {} };
    const facts = guarded(values, layout, { path: "facts" }) as Loose;
    expect(facts.addresses.eth0).toBeUndefined();
    expect(thrownBy(() => facts.os.di).failure.hint).toBe('Write "id" instead of "di"');
  });
});
