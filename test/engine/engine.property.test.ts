import * as fc from "fast-check";
import { expect, test } from "vitest";
import { disagreement, untruth, withEngine, withOracle } from "./comparison.ts";
import { allOperations, honestly, type Program, programs } from "./programs.ts";

const numRuns = Number(process.env["FURROW_PROPERTY_RUNS"] ?? 10_000);

test.each(["apply", "check"] as const)("engine and oracle agree in %s mode on random playbooks", async (mode) => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      expect(await disagreement(program, mode)).toBeUndefined();
      compared += 1;
    }),
    { numRuns },
  );
  process.stdout.write(`engine and oracle compared in ${mode} mode on ${compared} random playbooks\n`);
});

test("a paranoid engine does the same on random playbooks, whose tasks declare what they do", async () => {
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      expect(await disagreement(program, "apply", true)).toBeUndefined();
    }),
    { numRuns: Math.ceil(numRuns / 10) },
  );
});

test("check mode tells the truth on random playbooks whose tasks declare what they provide", async () => {
  const honest = programs.map(honestly);
  await fc.assert(
    fc.asyncProperty(honest, async (program) => {
      expect(await untruth(program)).toBeUndefined();
    }),
    { numRuns },
  );
  process.stdout.write(`check mode held to the run that followed on ${numRuns} random playbooks\n`);
});

/** True where the run of a program holds what the predicate asks, as a share of a sample. */
async function share(
  sample: readonly Program[],
  holds: (program: Program) => Promise<boolean> | boolean,
): Promise<number> {
  let count = 0;
  for (const program of sample) if (await holds(program)) count += 1;
  return count / sample.length;
}

test("the random playbooks are worth comparing: long, entangled, failing and disturbed", async () => {
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
  // A third party really did something, and not only would have.
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

test("reading ahead saves frames: a converged playbook takes one frame whatever its length", async () => {
  const wish = { v: 1, w: "x", gone: false, sort: 0 };
  const program: Program = {
    operations: Array.from({ length: 24 }, (_, index) => ({ op: "set" as const, cell: index % 4, leaf: 2 })),
    wishes: [wish, wish, wish, wish],
    state: Array.from({ length: 10 }, () => ({ v: 1, w: "x" })),
  };
  expect((await withEngine(program, "apply")).frames).toBe(1);
  expect((await withOracle(program, "apply")).frames).toBe(24);
});
