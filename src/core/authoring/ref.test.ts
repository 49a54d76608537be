import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseParams } from "../params/params.ts";
import { type OutputLookup, Ref, resolveRefs } from "./ref.ts";
import { secretOf } from "../secrets/secret.ts";
import { knownAfterApply } from "../facts/symbols.ts";

const [done, open, unseen] = [{}, {}, {}];
const lookup: OutputLookup = (source) => (source === done ? "v1" : source === open ? knownAfterApply : undefined);
const ref = (source: object): Ref<string> => new Ref<string>(source, (output) => output);
const schema = z.strictObject({
  url: z.string().startsWith("v", 'a text that begins with "v"'),
  mode: z.string().optional(),
  list: z.array(z.string()).optional(),
});

describe("a Ref", () => {
  test("can be mapped to other values once its task has run", () => {
    const mapped = ref(done)
      .map((text) => `${text}!`)
      .map((text) => text.length);
    expect(mapped.resolve(lookup)).toBe(3);
    expect(
      ref(open)
        .map(() => 1 / 0)
        .resolve(lookup),
    ).toBe(knownAfterApply);
    expect(
      ref(unseen)
        .map((text) => text.length)
        .resolve(lookup),
    ).toBeUndefined();
  });
  test("is unknown only if the function reads an unknown part", () => {
    const made = new Ref<{ id: string; size: number }>(done, () => ({ id: knownAfterApply, size: 3 }));
    expect(made.map(({ size }) => size + 1).resolve(lookup)).toBe(4);
    expect(made.map(({ id }) => `${id}!`).resolve(lookup)).toBe(knownAfterApply);
  });
  test("throws if it is used in a string by mistake", () => {
    expect(() => String(ref(done))).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({
          what: "a task's output was used in a string while the playbook was being read",
          where: { source: expect.stringMatching(/ref\.test\.ts:\d+:\d+$/) as string },
        }) as unknown,
      }),
    );
  });
});

describe("params with Refs", () => {
  test("are found at any depth", () => {
    const date = new Date(0);
    expect(resolveRefs({ a: [ref(done), { b: ref(open) }], c: ref(unseen), date }, lookup)).toEqual({
      value: { a: ["v1", { b: undefined }], c: undefined, date },
      pending: [".c"],
      unknown: [".a.1.b"],
    });
  });
  test("are not searched for in a task that is a param", () => {
    const named = { node: "task", module: {}, output: ref(unseen) };
    expect(resolveRefs({ restartOn: [named] }, lookup)).toMatchObject({ pending: [], unknown: [] });
  });
  test("are refused if the function given to map() returns a task's output, which would never end", () => {
    const output: Ref<string> = ref(done);
    for (const make of [() => output, () => [output], () => ({ part: [output] })]) {
      expect(() => output.map<unknown>(make).resolve(lookup)).toThrow(
        "the function given to map() returned a task's output instead of a value",
      );
    }
  });

  test("do not count as pending if the task has run and the function given to map() returns undefined", () => {
    const none = ref(done).map(() => undefined as unknown as string);
    expect(parseParams(schema, { url: "v1", mode: none }, lookup, {})).toMatchObject({ params: { url: "v1" } });
    expect(() => parseParams(schema, { url: none }, lookup, {})).toThrow('missing param "url"');
  });
  test("are checked as soon as their values are known", () => {
    expect(parseParams(schema, { url: ref(done) }, lookup, {})).toEqual({ params: { url: "v1" } });
    expect(parseParams(schema, { url: ref(unseen) }, lookup, {})).toEqual({ waitsFor: [".url"], unknown: [] });
    expect(parseParams(schema, { url: ref(open), list: [ref(open)] }, lookup, {})).toEqual({
      waitsFor: [],
      unknown: [".url", ".list.0"],
    });
    expect(() => parseParams(schema, { url: ref(done).map(() => "x") }, lookup, {})).toThrow(
      'wrong value for param "url"',
    );
  });
  test("do not hide other wrong params", () => {
    expect(() => parseParams(schema, { url: ref(unseen), mode: 1 }, lookup, {})).toThrow('param "mode"');
    expect(() => parseParams(schema, { url: ref(unseen), mod: "x" }, lookup, {})).toThrow('unknown param "mod"');
  });
  test("may give a secret only to a param that allows one", () => {
    const token = { secret: secretOf("hunter2", "token") };
    const brought = new Ref<never>(done, () => `${token.secret}`);
    expect(() => parseParams(schema, { url: "v", mode: brought }, lookup, {})).toThrow('param "mode" cannot be secret');
  });
});
