import * as fc from "fast-check";
import { block, type Node, on } from "../../src/core/group.ts";
import type { TaskCall } from "../../src/core/call.ts";
import type { Cell } from "./toy-tasks.ts";
import * as toy from "./toy-tasks.ts";

/** One random thing a playbook may list. Numbers choose among cells and values. */
export type Operation =
  | { readonly op: "set"; readonly cell: number; readonly leaf: number }
  | { readonly op: "raise" | "follow" | "await"; readonly cell: number; readonly v: number }
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
  | { readonly op: "use"; readonly cell: number }
  | { readonly op: "conditional"; readonly cell: number; readonly v: number }
  | {
      readonly op: "block";
      readonly inner: readonly Operation[];
      readonly rescue: readonly Operation[];
      readonly always: readonly Operation[];
    }
  | { readonly op: "elsewhere"; readonly inner: readonly Operation[] };

/** A random playbook with the hosts it starts on. */
export interface Program {
  readonly operations: readonly Operation[];
  /** What all `set` of a cell agree on: playbooks whose tasks contradict each other are refused before they run. */
  readonly wishes: readonly { readonly v: number; readonly w: string; readonly gone: boolean }[];
  readonly state: readonly (Cell | undefined)[];
}

const absoluteCells = 4;
const cells = 7;
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

/** Random playbooks of 6 to 24 operations on random hosts. */
export const programs: fc.Arbitrary<Program> = fc.record({
  operations: fc.array(operation, { minLength: 6, maxLength: 24, size: "max" }),
  wishes: fc.array(
    fc.record({ v: small, w: fc.constantFrom("x", "y"), gone: fc.integer({ min: 0, max: 5 }).map((n) => n === 0) }),
    {
      minLength: absoluteCells,
      maxLength: absoluteCells,
    },
  ),
  state: fc.array(cellState, { minLength: cells + 3, maxLength: cells + 3 }),
});

const sideEffects = { provide: toy.provide, disturb: toy.disturb, wreak: toy.wreak };
const nameOf = (cell: number): string => `c${cell}`;

/** The tasks of a program, as a play would list them. */
export function nodesOf(program: Program): Node[] {
  const outputs: TaskCall[] = [];
  const build = (operation: Operation): Node => {
    switch (operation.op) {
      case "set": {
        const wish = program.wishes[operation.cell] ?? { v: 0, w: "x", gone: false };
        const leaves = [{ v: wish.v }, { w: wish.w }, { v: wish.v, w: wish.w }][operation.leaf];
        const call = toy.set({ cell: nameOf(operation.cell), ...(wish.gone ? { gone: true } : leaves) });
        outputs.push(call);
        return call;
      }
      case "raise":
        return toy.raise({ cell: nameOf(operation.cell), min: operation.v });
      case "follow":
        return toy.follow({ cell: nameOf(operation.cell), v: operation.v });
      case "await":
        return toy.awaitCell({ cell: nameOf(operation.cell), v: operation.v });
      case "copy":
        return operation.from === operation.to
          ? undefined
          : toy.copy({ from: nameOf(operation.from), to: nameOf(operation.to) });
      case "provide":
      case "disturb":
      case "wreak": {
        const { cell, target, v } = operation;
        return cell === target
          ? undefined
          : sideEffects[operation.op]({ cell: nameOf(cell), target: nameOf(target), v });
      }
      case "risky":
        return toy.risky(
          { cell: nameOf(operation.cell), way: operation.way, times: operation.times },
          {
            ignoreFailure: operation.ignored,
            ...(operation.way === "flaky" && { retries: { times: 1, delaySeconds: 0 } }),
          },
        );
      case "say": {
        const call = toy.say({ text: operation.text, about: nameOf(operation.about) });
        outputs.push(call);
        return call;
      }
      case "use": {
        const source = outputs.at(-1);
        return source && toy.set({ cell: `u${operation.cell}`, w: source.output.map((value) => String(value)) });
      }
      case "conditional": {
        const source = outputs.at(-1);
        return source && toy.set({ cell: `k${operation.cell}`, v: 1 }, { when: source.changed });
      }
      case "block": {
        const { inner, rescue, always } = operation;
        return block("block", inner.map(build), {
          ...(rescue.length > 0 && { rescue: rescue.map(build) }),
          ...(always.length > 0 && { always: always.map(build) }),
        });
      }
      case "elsewhere":
        return on("other", operation.inner.map(build));
    }
  };
  return program.operations.map(build);
}

/** The state a program's hosts start in; the other host has every second cell. */
export function stateOf(program: Program, host: "main" | "other"): Map<string, unknown> {
  const names = [...Array.from({ length: cells }, (_, cell) => nameOf(cell)), "t0", "t1", "t2"];
  return new Map(
    names.flatMap((name, position) => {
      const cell = program.state[position];
      return cell && (host === "main" || position % 2 === 0) ? [[`cell:${name}`, cell] as const] : [];
    }),
  );
}

/** All operations, those inside blocks included. */
export function allOperations(operations: readonly Operation[]): Operation[] {
  return operations.flatMap((one) => {
    if (one.op === "block") return [one, ...allOperations([...one.inner, ...one.rescue, ...one.always])];
    return one.op === "elsewhere" ? [one, ...allOperations(one.inner)] : [one];
  });
}
