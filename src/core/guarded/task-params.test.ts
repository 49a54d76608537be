import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { FurrowError } from "../errors.ts";
import { file } from "../../facts/files/file.ts";
import { task } from "../authoring/task.ts";

interface Loose {
  readonly path: string;
  /** A name that the compiler would refuse: these tests simulate user code that is not type-checked. */
  readonly pth: string;
}

const card = {
  name: "own-page",
  summary: "Keep a page",
  params: z.strictObject({ path: z.string(), mode: z.string().optional() }),
  examples: [{ path: "/srv/page" }],
};
const page = file("/srv/page", ["text"]);
const parsed = { path: "/srv/page" };

/** Defines a task whose functions all call `read`. */
function own(read: (params: Loose) => unknown) {
  const loose = read as (params: object) => unknown;
  return task({
    ...card,
    title: (params) => String(loose(params)),
    disturbs: (params) => [String(loose(params))] as never,
  })
    .facts((params) => (loose(params) === 0 ? {} : { page }))
    .want((params) => ({ page: { text: String(loose(params)) } }))
    .steps((params) => [String(loose(params)) as never])
    .outputs((params) => loose(params))
    .notes((params) => [String(loose(params))]).definition;
}

describe("a misspelled param in a task that a user wrote", () => {
  const { card: known, stages, want, steps, outputs, notes } = own(({ pth }) => pth);
  it.each<[string, () => unknown]>([
    ["facts", () => stages[0]?.(parsed as never, {} as never)],
    ["want", () => want(parsed as never, {} as never)],
    ["steps", () => steps(parsed as never, {} as never)],
    ["outputs", () => outputs?.(parsed as never, {} as never, undefined)],
    ["notes", () => notes?.(parsed as never, {} as never, undefined)],
    ["title", () => known.title?.(parsed)],
    ["disturbs", () => known.disturbs?.(parsed)],
  ])("is an error in %s, with the line and the nearest name", (_where, act) => {
    let thrown: FurrowError | undefined;
    try {
      act();
    } catch (error) {
      thrown = error as FurrowError;
    }
    expect(thrown?.code).toBe("E_PLAYBOOK");
    expect(thrown?.failure).toMatchObject({
      what: 'params has no "pth"',
      expected: "one of path, mode",
      hint: 'Write "path" instead of "pth"',
    });
    expect(thrown?.failure.where?.source).toMatch(/task-params\.test\.ts:\d+:\d+$/);
  });
});

describe("the params of a task that a user wrote", () => {
  it.each<[string, (params: Loose) => unknown, unknown]>([
    ["JSON.stringify", (params) => JSON.stringify(params), '{"path":"/srv/page"}'],
    ["a spread", (params) => JSON.stringify({ ...params }), '{"path":"/srv/page"}'],
    ["destructuring", ({ path, ...rest }) => `${path} ${Object.keys(rest).length}`, "/srv/page 0"],
    ["an optional param without a value", (params) => (params as { mode?: string }).mode, undefined],
    ["in", (params) => "pth" in params, false],
  ])("allow %s", (_how, read, seen) => {
    const { want, outputs } = own(read);
    expect(want(parsed as never, {} as never)).toEqual({ page: { text: String(seen) } });
    expect(outputs?.(parsed as never, {} as never, undefined)).toEqual(seen);
  });
});

it("keeps the card of a task when outputs are added, so that the task's name stays unique", () => {
  const known = task(card)
    .facts(() => ({ page }))
    .want(() => ({}))
    .steps(() => []);
  expect(known.outputs(() => 1).card).toBe(known.card);
});

it("lets a user's steps contain params that are objects, as data that can be cloned", () => {
  const params = z.strictObject({ boot: z.strictObject({ disks: z.array(z.strictObject({ name: z.string() })) }) });
  const { steps } = task({ ...card, name: "own-boot", params, examples: [{ boot: { disks: [] } }] })
    .facts(() => ({ page }))
    .want(() => ({}))
    .steps(({ boot }) => [{ step: "run", argv: ["boot"], boot } as never]).definition;
  const made = steps({ boot: { disks: [{ name: "vda" }] } } as never, {} as never);
  expect(structuredClone(made)).toEqual([{ step: "run", argv: ["boot"], boot: { disks: [{ name: "vda" }] } }]);
});
