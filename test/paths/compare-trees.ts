import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { covered } from "../covered.ts";

const workers = 2;

/** A range of seeds. */
interface Seeds {
  readonly first: number;
  readonly cases: number;
  /** No further seed starts after this time, in milliseconds since 1970; without it, all seeds are compared. */
  readonly until?: number;
}

/** The totals of a comparison. */
export interface Sum {
  readonly cases: number;
  readonly tasks: number;
  readonly undecided: number;
}

/** Compares a range of seeds in a separate mount namespace, whose mounts disappear when it ends. */
function compareIn(
  { first: seed, cases: count, until = Infinity }: Seeds,
  test: string,
  more: readonly string[],
): Promise<Sum> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-paths-"));
  const runner = join(import.meta.dirname, "compare-run.ts");
  const words = [
    "--mount",
    "--propagation",
    "private",
    process.execPath,
    runner,
    folder,
    String(seed),
    String(count),
    String(until),
    ...more,
  ];
  return new Promise<Sum>((resolve, reject) => {
    execFile("unshare", words, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const lines = stdout.trim().split("\n");
      const found = lines.find((line) => line.includes('"found"'));
      if (found !== undefined) {
        const { seed: bad, found: text } = JSON.parse(found) as { seed: number; found: string };
        const again = `FURROW_PATHS_SEED=${bad} FURROW_PATHS_CASES=1 npx vitest run --project host test/paths/${test}`;
        reject(new Error(`seed ${bad}; once more: ${again}\n${text}`));
      } else if (error) reject(new Error(stderr || error.message));
      else resolve(JSON.parse(lines.at(-1) ?? "") as Sum);
    });
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
}

/**
 * Compares the random trees that these seeds generate, unless FURROW_PATHS_SEED sets the first seed or
 * FURROW_PATHS_CASES the number of seeds. If a seed differs, throws an error with that seed and the command that
 * repeats it.
 */
export async function compareTrees(seeds: Seeds): Promise<Sum> {
  const total = await compareAll(seeds, "aliases.host.test.ts");
  covered(
    `${total.cases} random trees with links, bind mounts and hard links compared with an independent program, ` +
      `${total.tasks} tasks, ${total.undecided} undecided in check mode`,
  );
  return total;
}

/** Runs random tasks on twin trees: with steps sent ahead, and one task at a time. */
export async function compareTreesByWay(seeds: Seeds): Promise<Sum> {
  const total = await compareAll(seeds, "one-by-one.host.test.ts", ["ways"]);
  covered(`${total.cases} random trees: ${total.tasks} tasks sent ahead give the same results as one at a time`);
  return total;
}

async function compareAll(seeds: Seeds, test: string, more: readonly string[] = []): Promise<Sum> {
  const first = Number(process.env["FURROW_PATHS_SEED"] ?? seeds.first);
  const cases = Number(process.env["FURROW_PATHS_CASES"] ?? seeds.cases);
  const share = Math.ceil(cases / workers);
  const shares = Array.from({ length: Math.min(workers, cases) }, (_, at) => at);
  const sums = await Promise.all(
    shares.map((at) => {
      const part = { ...seeds, first: first + at * share, cases: Math.min(share, cases - at * share) };
      return compareIn(part, test, more);
    }),
  );
  const total = (part: keyof Sum): number => sums.reduce((sum, one) => sum + one[part], 0);
  return { cases: total("cases"), tasks: total("tasks"), undecided: total("undecided") };
}
