import type { Cell } from "../engine/toy-tasks.ts";
import { seeded } from "../seeded.ts";
import type { BenchDriver } from "./sim-tasks.ts";
import type { Random } from "./virtual-world.ts";

/** One operation in a simulated play. The operation's numbers choose cells and values. */
export type SimOperation =
  | { readonly op: "set" | "raise" | "follow" | "await" | "keep"; readonly cell: number; readonly v: number }
  | { readonly op: "copy"; readonly from: number; readonly to: number }
  | { readonly op: "provide" | "disturb" | "wreak"; readonly cell: number; readonly target: number; readonly v: number }
  | { readonly op: "place" | "tree"; readonly cell: number; readonly entry: number; readonly driver: BenchDriver }
  | { readonly op: "publish" | "bring"; readonly cell: number; readonly entry: number }
  | {
      readonly op: "risky";
      readonly cell: number;
      readonly way: "fails" | "lies" | "flaky";
      readonly times: number;
      readonly ignored: boolean;
    }
  | { readonly op: "say"; readonly text: string; readonly about: number }
  | { readonly op: "use" | "conditional"; readonly cell: number }
  | {
      readonly op: "block";
      readonly inner: readonly SimOperation[];
      readonly rescue: readonly SimOperation[];
      readonly always: readonly SimOperation[];
    }
  | { readonly op: "elsewhere"; readonly inner: readonly SimOperation[] }
  | { readonly op: "once"; readonly host: number; readonly inner: readonly SimOperation[] };

/** One run, or two parallel runs, and all events from outside that affect them. */
export interface Scenario {
  readonly seed: number;
  readonly hosts: number;
  readonly forks: number | undefined;
  readonly serial: number | undefined;
  /**
   * The time at which each operator starts, in milliseconds, and how long it waits for hosts that another run has
   * locked.
   */
  readonly operators: readonly { readonly begins: number; readonly waitSeconds: number | undefined }[];
  readonly operations: readonly SimOperation[];
  /** Cells that exist before the run, by host and cell. */
  readonly state: readonly (readonly (Cell | undefined)[])[];
  readonly entries: readonly { readonly v: number; readonly names: readonly string[] }[];
  readonly network: readonly { readonly latency: number; readonly losses: number }[];
  /** For each host, whether the host has room for journals. */
  readonly journals: readonly boolean[];
  /** The times at which the first operator presses Ctrl-C for the first and for the second time. */
  readonly stopAt: number | undefined;
  readonly killAt: number | undefined;
}

/** The number of cells that operations use. */
export const simCells = 6;
const entries = 3;

/** The scenario for a seed; the same seed always gives the same scenario. */
export function scenarioOf(seed: number): Scenario {
  const random = seeded(seed * 7919 + 13);
  const hosts = [1, 1, 1, 1, 1, 1, 1, 2, 2, 3][random(10)]!;
  const operators = random(8) === 0 ? 2 : 1;
  const lossy = random(3) === 0;
  const stops = operators === 1 && !lossy && random(8) === 0;
  const calm = operators > 1;
  const stopAt = stops ? random(6000) : undefined;
  const once = hosts > 1 && random(2) === 0;
  const operations = list(random, 2 + random(6), 2, { once, elsewhere: !calm });
  const network = each(hosts + 1, () => ({
    latency: [0.2, 5, 30, 150][random(4)]!,
    losses: lossy ? random(4) : 0,
  }));
  const serial = hosts > 1 && random(4) === 0 ? 1 + random(hosts) : undefined;
  return {
    seed,
    hosts,
    forks: hosts > 1 && random(3) === 0 ? 1 + random(hosts) : undefined,
    serial,
    operators: each(operators, (index) => ({
      begins: index === 0 ? 0 : random(3000),
      waitSeconds: random(3) === 0 ? undefined : 100_000,
    })),
    operations,
    state: each(hosts + 1, () => each(simCells, () => cellOf(random))),
    entries: each(entries, (index) => ({ v: random(4), names: each(1 + random(3), (name) => `n${index}${name}`) })),
    network,
    journals: each(hosts + 1, () => calm || lossy || stops || random(8) > 0),
    stopAt,
    killAt: stopAt !== undefined && random(2) === 0 ? stopAt + random(2000) : undefined,
  };
}

function each<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function cellOf(random: Random): Cell | undefined {
  return random(4) === 0 ? undefined : { v: random(4), w: ["x", "y", "risky"][random(3)]! };
}

interface Allowed {
  readonly once: boolean;
  readonly elsewhere: boolean;
}

function list(random: Random, count: number, depth: number, allowed: Allowed): SimOperation[] {
  return each(count, () => operation(random, depth, allowed));
}

function operation(random: Random, depth: number, allowed: Allowed): SimOperation {
  const inner = (): SimOperation[] => list(random, 1 + random(3), depth - 1, { ...allowed, once: false });
  const kind = random(100);
  if (depth > 0 && kind < 8) {
    const rescue = random(2) === 0 ? inner() : [];
    return { op: "block", inner: inner(), rescue, always: random(3) === 0 ? inner() : [] };
  }
  if (depth > 0 && allowed.once && kind < 22) {
    // A group without a task does not report which host ran it.
    return { op: "once", host: random(4), inner: [{ op: "keep", cell: 0, v: 0 }, ...inner()] };
  }
  if (depth > 0 && allowed.elsewhere && kind < 26) return { op: "elsewhere", inner: inner() };
  return flat(random);
}

function flat(random: Random): SimOperation {
  const cell = random(simCells);
  const v = random(4);
  const kind = random(100);
  if (kind < 22) return { op: "set", cell, v };
  if (kind < 28) return { op: "raise", cell, v };
  if (kind < 31) return { op: "follow", cell, v };
  if (kind < 33) return { op: "await", cell, v };
  if (kind < 37) return { op: "keep", cell, v };
  if (kind < 43) return { op: "copy", from: cell, to: (cell + 1 + v) % simCells };
  if (kind < 53) {
    const op = (["provide", "disturb", "wreak"] as const)[random(3)]!;
    return { op, cell, target: (cell + 1 + random(simCells - 1)) % simCells, v };
  }
  if (kind < 75) {
    const op = (["place", "tree"] as const)[random(2)]!;
    return { op, cell, entry: random(entries), driver: random(4) === 0 ? "bench-in-turn" : "bench" };
  }
  if (kind < 82) return { op: (["publish", "bring"] as const)[random(2)]!, cell, entry: random(entries) };
  if (kind < 87) {
    const way = (["fails", "lies", "flaky", "flaky"] as const)[random(4)]!;
    return { op: "risky", cell, way, times: random(3), ignored: random(2) === 0 };
  }
  if (kind < 92) return { op: "say", text: "ab"[random(2)]!.repeat(1 + random(40)), about: cell };
  return { op: (["use", "conditional"] as const)[random(2)]!, cell };
}

/** All operations, including nested ones. */
export function allOperations(operations: readonly SimOperation[]): SimOperation[] {
  return operations.flatMap((one) => {
    if (one.op === "block") return [one, ...allOperations([...one.inner, ...one.rescue, ...one.always])];
    return one.op === "elsewhere" || one.op === "once" ? [one, ...allOperations(one.inner)] : [one];
  });
}
