import { z } from "zod";
import { merge } from "../../src/core/facts/compare.ts";
import { ask, defineKind, printPart } from "../../src/core/facts/kind.ts";
import type { HostFact } from "../../src/core/facts/fact.ts";
import { ran } from "../../src/core/facts/ran.ts";
import { refuse } from "../../src/core/authoring/refusal.ts";
import type { RunStep, StepResult } from "../../src/core/host/step.ts";
import { type Absent, absent, isRecord, knownAfterApply } from "../../src/core/facts/symbols.ts";
import { task } from "../../src/core/authoring/task.ts";

/** The objects of a simulated host: cells that contain a number and a word, or are absent. */
export interface Cell {
  readonly v: number;
  readonly w: string;
  /** How many times the cell was written. This part of the value changes by itself. */
  readonly writes?: number;
}

const cellKind = defineKind<Absent | Cell>({
  name: "cell",
  summary: "A cell of the simulated host",
  facets: {},
  read: (questions) => questions.map(({ number, key }) => `cell ${number} ${key}`).join("\n"),
  volatile: ["writes"],
  parse: (lines) =>
    lines["v"] === undefined
      ? absent
      : { v: Number(lines["v"]), w: lines["w"] ?? "", writes: Number(lines["writes"] ?? 0) },
  print: (value) =>
    value === absent
      ? {}
      : {
          v: printPart(value, "v"),
          w: printPart(value, "w"),
          writes: printPart(value, "writes", (n = 0) => String(n)),
        },
  predict: (before, wanted): Cell | Absent => {
    if (!isRecord(wanted)) return wanted as Absent;
    const unseen = { v: knownAfterApply, w: knownAfterApply };
    const base: object = isRecord(before) ? before : before === absent ? { v: 0, w: "" } : unseen;
    return merge({ ...base, writes: knownAfterApply }, wanted) as Cell;
  },
});

/** Reads a cell. */
export const cell = (key: string): HostFact<Absent | Cell> => ask(cellKind, key);

const act = (...argv: string[]): RunStep => ({ step: "run", argv });
const put = (key: string, value: Partial<Cell> | Absent): RunStep =>
  act("put", key, value === absent ? "absent" : JSON.stringify(value));

/** Executes a toy step on a simulated host's state. `flaky` keeps its count in the host's state. */
export function performToy(argv: readonly string[], state: Map<string, unknown>): StepResult {
  const [operation, key = "", text = ""] = argv;
  const done = { exitCode: 0, stdout: "", stderr: "" };
  const id = `cell:${key}`;
  switch (operation) {
    case "put":
      if (text === "absent") state.delete(id);
      else {
        const before = state.get(id) as Cell | undefined;
        const writes = (before?.writes ?? 0) + 1;
        state.set(id, { v: 0, w: "", ...before, ...(JSON.parse(text) as Partial<Cell>), writes });
      }
      return done;
    case "provide":
      if (!state.has(id)) state.set(id, { ...(JSON.parse(text) as Cell), writes: 0 });
      return done;
    case "fill":
      for (const other of argv.slice(1).filter((word) => word !== "+")) {
        const before = state.get(`cell:${other}`) as Cell | undefined;
        if (before?.w === "full") continue;
        state.set(`cell:${other}`, { v: 0, ...before, w: "full", writes: (before?.writes ?? 0) + 1 });
      }
      return done;
    case "fail":
      return { ...done, exitCode: 1 };
    case "flaky": {
      const count = (state.get(`count:${key}`) as number | undefined) ?? 0;
      state.set(`count:${key}`, count + 1);
      return { ...done, exitCode: count < Number(text) ? 1 : 0 };
    }
    case "say": {
      const about = state.get(text) as Cell | undefined;
      if (about) state.set(text, { ...about, writes: (about.writes ?? 0) + 1 });
      return { ...done, stdout: key };
    }
    default:
      return done;
  }
}

const key = z.string();
const none = (): string[] => [];

/** Wants parts of a cell to have certain values, or the cell to be absent. */
export const set = task({
  name: "set",
  summary: "Set leaves of a cell",
  params: z.strictObject({
    cell: key,
    v: z.number().optional(),
    w: z.string().optional(),
    gone: z.boolean().optional(),
  }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want((p) => ({ own: p.gone === true ? absent : { v: p.v, w: p.w } }))
  .steps((p) => [
    put(
      p.cell,
      p.gone === true ? absent : { ...(p.v !== undefined && { v: p.v }), ...(p.w !== undefined && { w: p.w }) },
    ),
  ])
  .outputs((_p, now) => (now.own === absent ? -1 : now.own.v));

/**
 * Wants a cell's number to be at least a minimum: a want that depends on the current value. As a side effect, its steps
 * also change the cell's word, which no task wants or can predict. If the minimum is 0, the task also reads how
 * many times the cell was written.
 */
export const raise = task({
  name: "raise",
  summary: "Raise a cell",
  params: z.strictObject({ cell: key, min: z.number() }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want((p, { own }) =>
    own === absent ? refuse({ code: "absent", message: "nothing to raise" }) : { own: { v: heightOf(own, p.min) } },
  )
  .steps((p, { now }) => [
    put(p.cell, {
      v: now.own === absent ? 0 : heightOf(now.own, p.min),
      ...(p.min === 3 && { w: "raised" }),
    }),
  ])
  .notes((p, { own }) => (own !== absent && own.v > p.min ? ["higher already"] : []));

function heightOf({ v, writes }: Cell, min: number): number {
  return Math.max(v, min === 0 ? Math.min(2, writes ?? 0) : min);
}

/** Wants a cell to have the same number as another cell. */
export const copy = task({
  name: "copy",
  summary: "Copy a number",
  params: z.strictObject({ from: key, to: key }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ from: cell(p.from), to: cell(p.to) }))
  .want((_p, { from }) =>
    from === absent ? refuse({ code: "absent", message: "nothing to copy" }) : { to: { v: from.v } },
  )
  .steps((p, { now }) => [now.from !== absent && put(p.to, { v: now.from.v })]);

/** Reads in one cell which other cell to set: its facts are read in two stages. */
export const follow = task({
  name: "follow",
  summary: "Follow a pointer",
  params: z.strictObject({ cell: key, v: z.number() }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ pointer: cell(p.cell) }))
  .facts((_p, { pointer }) => ({ target: cell(`t${pointer === absent ? 9 : pointer.v % 3}`) }))
  .want((p) => ({ target: { v: p.v } }))
  .steps((p, { now }) => [put(`t${now.pointer === absent ? 9 : now.pointer.v % 3}`, { v: p.v })]);

/**
 * Behaves like a package whose scripts may create other objects: unless the task's number is 0, the task's step
 * creates another cell if that cell is absent. The task declares this.
 */
export const provide = task({
  name: "provide",
  summary: "Install, and provide",
  params: z.strictObject({ cell: key, target: key, v: z.number() }),
  examples: [],
  mayProvide: (p) => [`cell:${p.target}`],
  disturbs: none,
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want(() => ({ own: { v: 1 } }))
  .steps((p) => [
    put(p.cell, { v: 1 }),
    // A task does not always provide what it may provide.
    act(p.v === 0 ? "nothing" : "provide", p.target, JSON.stringify({ v: p.v, w: "provided" })),
  ]);

/** Changes another cell and declares that it does. */
export const disturb = task({
  name: "disturb",
  summary: "Disturb another cell",
  params: z.strictObject({ cell: key, target: key, v: z.number() }),
  examples: [],
  disturbs: (p) => [`cell:${p.target}`],
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want((p) => ({ own: { v: p.v } }))
  .steps((p) => [put(p.cell, { v: p.v }), put(p.target, { v: p.v + 1 })]);

/** Changes another cell without declaring the change. */
export const wreak = task({
  name: "wreak",
  summary: "Disturb another cell and declare nothing",
  params: z.strictObject({ cell: key, target: key, v: z.number() }),
  examples: [],
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want((p) => ({ own: { w: `w${p.v}` } }))
  .steps((p) => [put(p.cell, { w: `w${p.v}` }), put(p.target, { v: p.v + 1 })]);

/** Fails in its second step, claims success falsely, or fails a few times before it succeeds. */
export const risky = task({
  name: "risky",
  summary: "Fail in some way",
  params: z.strictObject({ cell: key, way: z.enum(["fails", "lies", "flaky"]), times: z.number() }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want(() => ({ own: { w: "risky" } }))
  .steps((p) =>
    p.way === "lies"
      ? [act("nothing")]
      : p.way === "fails"
        ? [put(p.cell, { v: 5 }), act("fail")]
        : [act("flaky", p.cell, String(p.times)), put(p.cell, { w: "risky" })],
  );

/** Wants a word in a cell; the steps of adjacent tasks can be joined, as for packages. */
export const fillUp = task({
  name: "fill",
  summary: "Fill a cell, sharing one step with adjacent tasks",
  params: z.strictObject({ cell: key }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want(() => ({ own: { w: "full" } }))
  .steps((p) => [
    {
      step: "run",
      argv: ["fill", p.cell],
      label: `fill ${p.cell}`,
      joint: { key: "fill", words: ["+", p.cell] },
    },
  ]);

/** Acts in every run and outputs the text that its step printed. The step writes the cell again with the same value. */
export const say = task({
  name: "say",
  summary: "Say something",
  params: z.strictObject({ text: z.string(), about: key }),
  examples: [],
  disturbs: (p) => [`cell:${p.about}`],
})
  .facts((p) => ({ ran: ran(p.text), about: cell(p.about) }))
  .want(() => ({ ran: true }))
  .steps((p) => [act("say", p.text, `cell:${p.about}`)])
  .outputs((_p, _now, results) => results?.[0]?.stdout ?? "nothing");

/** Waits for a number in a cell; it times out immediately. */
export const awaitCell = task({
  name: "await",
  summary: "Wait for a number",
  params: z.strictObject({ cell: key, v: z.number() }),
  examples: [],
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want((p) => ({ own: { v: p.v } }))
  .wait((p) => ({ intervalSeconds: 0.001, deadlineSeconds: 0.0001, waitsFor: `${p.cell} to be ${p.v}` }));
