import { covered } from "../covered.ts";
import { runScenario } from "./run-scenario.ts";
import { allOperations, scenarioOf } from "./scenario.ts";

const seed = process.env["FURROW_SEED"];
/** The first seed; `random` chooses one at random. */
const start = seed === "random" ? Math.floor(Math.random() * 1e9) : Number(seed ?? 1);
/** The total number of seeds in both halves. */
const all = Number(process.env["FURROW_SIMULATIONS"] ?? 20_000);
/** The maximum number of failing seeds to print. */
const enough = 5;

const minutes = 60_000;
/** Milliseconds that a half may take; 10,000 seeds take less than a minute on one idle core. */
export const halfTimeout: number = Math.max(60, all / 2000) * minutes;

/** The real clock; a simulated run uses a virtual clock. */
const clock = Date.now.bind(Date);
/**
 * The time after which a suite with a time limit starts no more runs (test/sample/deadline.ts), in ms since 1970.
 */
const deadline = Number(process.env["FURROW_DEADLINE"] ?? Number.POSITIVE_INFINITY);
/** The minimum number of simulated runs: with fewer, the share of each feature would say little. */
const comparable = 1000;

/**
 * Simulates one half of the seeds, so that two workers can share them. Returns the faults: runs that do not end, that
 * differ from the naive executor, or that leave something behind on a host; and features of scenarios that are too
 * rare.
 */
export async function simulateHalf(half: 0 | 1): Promise<string[]> {
  const first = start + (half === 0 ? 0 : Math.ceil(all / 2));
  const runs = half === 0 ? Math.ceil(all / 2) : Math.floor(all / 2);
  const failures: string[] = [];
  const sums = {
    runs: 0,
    hosts: 0,
    frames: 0,
    steps: 0,
    losses: 0,
    asked: 0,
    operators: 0,
    stops: 0,
    facts: 0,
    once: 0,
  };
  for (let next = first; next < first + runs && failures.length < enough; next += 1) {
    if (clock() > deadline && sums.runs >= comparable) break;
    const scenario = scenarioOf(next);
    const { faults, counts } = await runScenario(scenario);
    if (faults.length > 0) failures.push(`node test/simulation/seed-run.ts ${next}\n  ${faults.join("\n  ")}`);
    const operations = allOperations(scenario.operations);
    sums.runs += 1;
    sums.hosts += scenario.hosts > 1 ? 1 : 0;
    sums.frames += counts.frames;
    sums.steps += counts.steps;
    sums.losses += counts.losses;
    sums.asked += counts.asked;
    sums.operators += scenario.operators.length > 1 ? 1 : 0;
    sums.stops += scenario.stopAt === undefined ? 0 : 1;
    sums.once += operations.some(({ op }) => op === "once") ? 1 : 0;
    sums.facts += operations.some(({ op }) => ["place", "tree", "publish", "bring"].includes(op)) ? 1 : 0;
  }
  if (failures.length > 0) return failures;
  const text = `${sums.runs} simulated runs from seed ${first}: ${sums.frames} frames, ${sums.steps} steps, ${sums.losses} lost links, ${sums.asked} answers taken up; ${sums.facts} with controller facts, ${sums.hosts} on several hosts, ${sums.once} with once(), ${sums.operators} with two operators, ${sums.stops} stopped`;
  process.stdout.write(`${text}\n`);
  covered(text);
  // The scenarios must contain every feature that can break: without them, the simulation would prove nothing.
  return (runs < comparable ? [] : leastShares).flatMap(([name, least]) =>
    sums[name] < least * sums.runs ? [`of ${sums.runs} scenarios only ${sums[name]} are for "${name}"`] : [],
  );
}

/** The minimum share of all scenarios in which each of these features must occur. */
const leastShares = [
  ["facts", 0.5],
  ["hosts", 0.15],
  ["losses", 0.1],
  ["asked", 0.05],
  ["operators", 0.05],
  ["stops", 0.03],
  ["once", 0.03],
] as const;
