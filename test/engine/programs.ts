import * as fc from "fast-check";
import type { Cell } from "./toy-tasks.ts";

/** One random operation in a playbook. The operation's numbers choose among cells and values. */
export type Operation =
  | {
      readonly op: "set";
      readonly cell: number;
      readonly leaf: number;
      /** If true, a task marked `temporary` first gives the cell another value. */
      readonly detour?: boolean;
    }
  | { readonly op: "raise" | "follow" | "await"; readonly cell: number; readonly v: number }
  | { readonly op: "probe"; readonly cell: number; readonly declared: boolean }
  | { readonly op: "copy"; readonly from: number; readonly to: number }
  | { readonly op: "provide" | "disturb" | "wreak"; readonly cell: number; readonly target: number; readonly v: number }
  | {
      readonly op: "risky";
      readonly cell: number;
      readonly way: "fails" | "lies" | "flaky";
      readonly times: number;
      readonly ignored: boolean;
    }
  | { readonly op: "say"; readonly text: string; readonly about: number }
  | { readonly op: "use" | "fill"; readonly cell: number }
  | { readonly op: "conditional"; readonly cell: number; readonly v: number }
  | {
      readonly op: "block";
      readonly inner: readonly Operation[];
      readonly rescue: readonly Operation[];
      readonly always: readonly Operation[];
    }
  | { readonly op: "elsewhere"; readonly inner: readonly Operation[] };

/**
 * The value that all `set` operations use for a cell, because playbooks whose tasks contradict each other are refused
 * before they run.
 */
export interface Wish extends Cell {
  readonly gone: boolean;
  /** The type of object that the cell represents, if a vocabulary has several types. */
  readonly sort: number;
}

/**
 * A third party that changes an object while a task works on it: when the nth step that concerns a cell begins on a
 * host or, with `late`, when that step has ended. The third party changes only that object: if other objects changed
 * during the run, executors could legitimately differ, because they read objects at different times.
 */
export interface Outside extends Cell {
  readonly host: "main" | "other";
  readonly nth: number;
  readonly late: boolean;
}

/** A random playbook with the initial state of its hosts. */
export interface Program {
  readonly operations: readonly Operation[];
  readonly wishes: readonly Wish[];
  readonly state: readonly (Cell | undefined)[];
  readonly outside?: Outside | undefined;
}

/** The number of cells that `set` uses, always with the same value per cell. These are the first cells. */
export const absoluteCells = 4;
/** The number of cells that operations use. */
export const cells = 7;
const index = fc.nat({ max: cells - 1 });
const absolute = fc.nat({ max: absoluteCells - 1 });
const relative = fc.integer({ min: absoluteCells, max: cells - 1 });
const small = fc.nat({ max: 3 });

const simple: fc.Arbitrary<Operation>[] = [
  fc.record({ op: fc.constant("set" as const), cell: absolute, leaf: fc.nat({ max: 2 }) }),
  fc.record({ op: fc.constant("set" as const), cell: absolute, leaf: fc.nat({ max: 2 }) }),
  fc.record({ op: fc.constantFrom("raise" as const, "follow" as const), cell: relative, v: small }),
  fc.record({ op: fc.constant("copy" as const), from: index, to: relative }),
  fc.record({ op: fc.constant("provide" as const), cell: relative, target: index, v: small }),
  fc.record({ op: fc.constantFrom("disturb" as const, "wreak" as const), cell: relative, target: index, v: small }),
  fc.record({ op: fc.constant("say" as const), text: fc.constantFrom("a", "b"), about: index }),
  fc.record({ op: fc.constant("use" as const), cell: relative }),
  fc.record({ op: fc.constant("conditional" as const), cell: relative, v: small }),
];
const rare: fc.Arbitrary<Operation>[] = [
  fc.record({
    op: fc.constant("risky" as const),
    cell: relative,
    way: fc.constantFrom("fails" as const, "lies" as const, "flaky" as const),
    times: fc.nat({ max: 2 }),
    ignored: fc.boolean(),
  }),
  fc.record({ op: fc.constant("await" as const), cell: index, v: small }),
];

const flat: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 14, arbitrary: fc.oneof(...simple) },
  { weight: 1, arbitrary: fc.oneof(...rare) },
);
const some = (max: number): fc.Arbitrary<Operation[]> => fc.array(flat, { minLength: 1, maxLength: max });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 12, arbitrary: flat },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("block" as const),
      inner: some(4),
      rescue: fc.oneof(fc.constant([]), some(2)),
      always: fc.oneof(fc.constant([]), some(2)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("elsewhere" as const), inner: some(3) }) },
);

const cellState: fc.Arbitrary<Cell | undefined> = fc.option(
  fc.record({ v: small, w: fc.constantFrom("x", "y", "risky") }),
  { nil: undefined },
);

const outside: fc.Arbitrary<Outside> = fc.record({
  host: fc.constantFrom("main" as const, "main" as const, "main" as const, "other" as const),
  nth: fc.integer({ min: 1, max: 6 }),
  late: fc.nat({ max: 2 }).map((n) => n === 0),
  v: fc.integer({ min: 4, max: 6 }),
  w: fc.constant("outside"),
});

/** Random playbooks of 6 to 24 operations on random hosts. */
export const programs: fc.Arbitrary<Program> = fc.record({
  operations: fc.array(operation, { minLength: 6, maxLength: 24, size: "max" }),
  wishes: fc.array(
    fc.record({
      v: small,
      w: fc.constantFrom("x", "y"),
      gone: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      sort: fc.nat({ max: 10 }),
    }),
    { minLength: absoluteCells, maxLength: absoluteCells },
  ),
  state: fc.array(cellState, { minLength: cells + 3, maxLength: cells + 3 }),
  outside: fc.option(outside, { nil: undefined, freq: 4 }),
});

/** Programs with many adjacent operations whose steps can be joined, and other operations among them. */
export const jointPrograms: fc.Arbitrary<Program> = fc
  .tuple(
    programs,
    fc.array(fc.record({ op: fc.constant("fill" as const), cell: index }), { minLength: 24, maxLength: 24 }),
  )
  .map(([program, fills]) => ({
    ...program,
    operations: program.operations.flatMap((one, at): Operation[] => {
      const fill = fills.slice(at, at + ((fills[at]?.cell ?? 0) % 4));
      return at % 2 === 0 ? [one, ...fill] : fill.length === 0 ? [one] : fill;
    }),
  }));

/** Programs in which users' commands look at cells between the other operations. */
export const probePrograms: fc.Arbitrary<Program> = fc
  .tuple(
    programs,
    fc.array(fc.record({ op: fc.constant("probe" as const), cell: index, declared: fc.boolean() }), {
      minLength: 24,
      maxLength: 24,
    }),
    fc.integer({ min: 2, max: 4 }),
  )
  .map(([program, probes, every]) => ({
    ...program,
    operations: program.operations.flatMap((one, at): Operation[] => [
      one,
      ...(at % every === 0 ? probes.slice(at, at + 1) : []),
    ]),
  }));

/** Programs in which each `set` temporarily gives its cell another value first. */
export const detourPrograms: fc.Arbitrary<Program> = programs.map((program) => {
  const withDetours = (operations: readonly Operation[]): Operation[] =>
    operations.map((one) => {
      if (one.op === "set") return { ...one, detour: true };
      if (one.op === "elsewhere") return { ...one, inner: withDetours(one.inner) };
      if (one.op !== "block") return one;
      const { inner, rescue, always } = one;
      return { ...one, inner: withDetours(inner), rescue: withDetours(rescue), always: withDetours(always) };
    });
  return { ...program, operations: withDetours(program.operations) };
});

/** Until its pointer is known, a `follow` task's target is unknown: the task may have set any cell. */
const hidden: ReadonlySet<Operation["op"]> = new Set(["disturb", "wreak", "risky", "await", "follow"]);

/**
 * The program without the operations that check mode cannot predict. Check must be right about every remaining task.
 */
export function honestly({ operations, wishes, state }: Program): Program {
  // Tasks do not declare the write count of a cell, so a task that reads it cannot be predicted.
  const keep = (one: Operation): boolean => !hidden.has(one.op) && !(one.op === "raise" && one.v === 0);
  const keepHonest = (one: Operation): Operation[] => {
    if (one.op === "block") {
      const { inner, rescue, always } = one;
      return [{ ...one, inner: inner.filter(keep), rescue: rescue.filter(keep), always: always.filter(keep) }];
    }
    if (one.op === "elsewhere") return [{ ...one, inner: one.inner.filter(keep) }];
    return keep(one) ? [one] : [];
  };
  return { operations: operations.flatMap(keepHonest), wishes, state };
}

/** All operations, including those inside blocks. */
export function allOperations(operations: readonly Operation[]): Operation[] {
  return operations.flatMap((one) => {
    if (one.op === "block") return [one, ...allOperations([...one.inner, ...one.rescue, ...one.always])];
    return one.op === "elsewhere" ? [one, ...allOperations(one.inner)] : [one];
  });
}
