import { BaseSequencer, type TestSpecification } from "vitest/node";
import { seeded } from "../seeded.ts";

/**
 * The files that take longest. They start first: a file that starts last runs alone at the end, and may end long after
 * the deadline. They are also never left out: the first deploys a cluster, the second tries every guard.
 */
export const longest: readonly string[] = [
  "test/playbooks/harvester.long.test.ts",
  "test/guards/playbooks.long.test.ts",
];

/**
 * Sorts the test files: first those that take longest, then all others. If `FURROW_DEADLINE` may leave out files, the
 * others are in a random order that depends only on `--sequence.seed`; otherwise they are in vitest's usual order.
 */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSample = process.env["FURROW_DEADLINE"] !== undefined;
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of a sequencer, not of an array
    const sorted = isSample ? shuffled(files, this.ctx.config.sequence.seed) : await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.some((one) => moduleId.endsWith(`/${one}`));
    return [...sorted.filter(isLong), ...sorted.filter((one) => !isLong(one))];
  }
}

function shuffled(files: readonly TestSpecification[], seed: number): TestSpecification[] {
  const next = seeded(seed);
  const known = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  const keyed = known.map((file) => [next(2 ** 31), file] as const);
  return keyed.toSorted(([a], [b]) => a - b).map(([, file]) => file);
}
