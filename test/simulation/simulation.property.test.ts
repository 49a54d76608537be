import { expect, test } from "vitest";
import { covered } from "../covered.ts";
import { runScenario } from "./run-scenario.ts";
import { allOperations, scenarioOf } from "./scenario.ts";

const seed = process.env["FURROW_SEED"];
/** The first seed; random seeds begin anywhere. */
const first = seed === "random" ? Math.floor(Math.random() * 1e9) : Number(seed ?? 1);
const runs = Number(process.env["FURROW_SIMULATIONS"] ?? 20_000);
/** At most so many failing seeds are printed. */
const enough = 5;

const minutes = 60_000;
/** On one core at rest 20,000 take a minute; a busy machine needs longer, and a million needs an hour. */
const timeout = Math.max(20, runs / 2000) * minutes;

test("simulated runs end, are what the naive executor tells, and leave nothing behind", { timeout }, async () => {
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
  expect(failures.join("\n")).toBe("");
  const text = `${sums.runs} simulated runs from seed ${first}: ${sums.frames} frames, ${sums.steps} steps, ${sums.losses} lost links, ${sums.asked} answers taken up; ${sums.facts} with controller facts, ${sums.hosts} on several hosts, ${sums.once} with once(), ${sums.operators} with two operators, ${sums.stops} stopped`;
  process.stdout.write(`${text}\n`);
  covered(text);
  // What is simulated is what breaks: a generator that lost a part would prove nothing.
  const share = (count: number): number => count / sums.runs;
  if (runs < 1000) return;
  for (const [name, least] of [
    ["facts", 0.5],
    ["hosts", 0.15],
    ["losses", 0.1],
    ["asked", 0.05],
    ["operators", 0.05],
    ["stops", 0.03],
    ["once", 0.03],
  ] as const)
    expect(share(sums[name]), name).toBeGreaterThan(least);
});

test("a seed replays its run to the byte", async () => {
  for (const replayed of [4, 7, 25, 116, 265, 1120]) {
    const told = async (): Promise<string> => {
      const { operated, counts, virtualMs } = await runScenario(scenarioOf(replayed));
      return JSON.stringify({ events: operated.map(({ events }) => events), counts, virtualMs });
    };
    expect(await told()).toBe(await told());
  }
});
