import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SimulatedHost } from "../../src/transport/simulated.ts";
import { agree, propertyRuns } from "./agree.ts";
import { driveEngine, planOn, withEngine, withOracle } from "./comparison.ts";
import { allOperations, detourPrograms, jointPrograms, type Program, programs } from "./programs.ts";
import { set } from "./toy-tasks.ts";
import { performAmong } from "./toy-vocabulary.ts";

test("engine and oracle agree when they run random playbooks", async () => {
  expect(await agree("apply", propertyRuns)).toBe(propertyRuns);
});

test("an engine that runs one task at a time gives the same results: sending ahead changes only the cost", async () => {
  const runs = Math.round(propertyRuns / 4);
  expect(await agree("apply", runs, { oneByOne: true })).toBe(runs);
});

test("engine and oracle agree when adjacent tasks share their steps", async () => {
  const among = { of: jointPrograms, what: " with joint work" };
  const runs = Math.round(propertyRuns / 5);
  expect(await agree("apply", runs, {}, among)).toBe(runs);
});

test("engine and oracle agree on playbooks whose temporary tasks are undone later: in a run, one task at a time, and in check mode", async () => {
  const among = { of: detourPrograms, what: " with temporary tasks" };
  const runs = Math.round(propertyRuns / 20);
  expect(await agree("apply", runs, {}, among)).toBe(runs);
  expect(await agree("apply", runs, { oneByOne: true }, among)).toBe(runs);
  expect(await agree("check", runs, {}, among)).toBe(runs);
});

/** The percentage of programs in a sample whose run satisfies the predicate. */
async function share(
  sample: readonly Program[],
  holds: (program: Program) => Promise<boolean> | boolean,
): Promise<number> {
  let count = 0;
  for (const program of sample) if (await holds(program)) count += 1;
  return count / sample.length;
}

test("the random playbooks are worth comparing: enough are long, share cells, fail, or are disturbed by a third party", async () => {
  const sample = fc.sample(programs, 500);
  const lengths = sample.map(({ operations }) => allOperations(operations).length).toSorted((a, b) => a - b);
  expect(lengths[250]).toBeGreaterThanOrEqual(12);
  const sharing = await share(sample, ({ operations }) => {
    const cells = allOperations(operations).flatMap((one) => ("cell" in one ? [one.cell] : []));
    return new Set(cells).size < cells.length;
  });
  expect(sharing).toBeGreaterThanOrEqual(0.4);
  const failing = await share(sample, async (program) =>
    (await withOracle(program, "apply")).happenings.some(({ outcome }) => outcome === "failed"),
  );
  expect(failing).toBeGreaterThanOrEqual(0.2);
  const sideEffects = await share(sample, ({ operations }) =>
    allOperations(operations).some(({ op }) => op === "disturb" || op === "wreak" || op === "provide"),
  );
  expect(sideEffects).toBeGreaterThanOrEqual(0.2);
  // Counts only programs in which a third party really changed the result.
  const disturbed = await share(sample, async (program) => {
    const { outside, ...undisturbed } = program;
    if (outside === undefined) return false;
    const made = async (one: Program): Promise<string> => {
      const { happenings, states } = await withOracle(one, "apply");
      return JSON.stringify({ happenings, states });
    };
    return (await made(program)) !== (await made(undisturbed));
  });
  expect(disturbed).toBeGreaterThanOrEqual(0.2);
});

test("reading ahead saves frames: a converged playbook takes one frame, regardless of its length", async () => {
  const wish = { v: 1, w: "x", gone: false, sort: 0 };
  const program: Program = {
    operations: Array.from({ length: 24 }, (_, index) => ({ op: "set" as const, cell: index % 4, leaf: 2 })),
    wishes: [wish, wish, wish, wish],
    state: Array.from({ length: 10 }, () => ({ v: 1, w: "x" })),
  };
  expect((await withEngine(program, "apply")).frames).toBe(1);
  expect((await withOracle(program, "apply")).frames).toBe(24);
});

test("sending steps ahead saves frames: playbooks take far fewer than one frame per task, although many contain a surprise", async () => {
  const sample = fc.sample(programs, 500);
  const engine = await Promise.all(sample.map((program) => withEngine(program, "apply")));
  const oracle = await Promise.all(sample.map((program) => withOracle(program, "apply")));
  const surprised = engine.filter(({ surprises }) => surprises > 0).length / sample.length;
  expect(surprised).toBeGreaterThanOrEqual(0.2);
  const mean = (all: readonly { readonly frames: number }[]): number =>
    all.reduce((sum, { frames }) => sum + frames, 0) / all.length;
  expect(mean(engine)).toBeLessThan(mean(oracle) / 4);
  const [own, naive] = [mean(engine).toFixed(1), mean(oracle).toFixed(1)];
  const share = Math.round(surprised * 100);
  process.stdout.write(`${share} % of playbooks had a surprise; ${own} frames each, ${naive} one by one\n`);
});

test("a fresh host and a drifted host take two frames each, regardless of the number of changes", async () => {
  const cells = Array.from({ length: 24 }, (_, index) => set({ cell: `c${index}`, v: 1 }));
  const plan = planOn("main", cells);
  const right = { v: 1, w: "" };
  const drifted = cells.map((_, index) => [`cell:c${index}`, index === 11 ? { ...right, v: 2 } : right] as const);
  for (const state of [[], drifted]) {
    const act = performAmong(undefined);
    const host = new SimulatedHost(new Map(state), (step, own) => act(step.step === "run" ? step.argv : [], own));
    const happenings = await driveEngine(plan, () => host.open(), "apply");
    expect(happenings.map(({ outcome }) => outcome)).not.toContain("failed");
    expect(host.counts).toMatchObject({ frames: 2, steps: state.length === 0 ? 24 : 1 });
  }
});
