import { runScenario } from "./run-scenario.ts";
import { scenarioOf } from "./scenario.ts";

/**
 * Simulates consecutive seeds: the first argument is the first seed, the second is the number of seeds (default 1), as
 * in `node test/simulation/seed-run.ts 42`. Prints every fault and the command that reproduces it. Exits with 1 if
 * there is a fault.
 */
const [first = "1", count = "1", stopAfter = "20"] = process.argv.slice(2);
let failed = 0;
const started = performance.now();
for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
  const scenario = scenarioOf(seed);
  const { faults, operated } = await runScenario(scenario);
  if ((seed - Number(first)) % 50_000 === 49_999)
    process.stdout.write(`${seed - Number(first) + 1} done, ${failed} failed\n`);
  if (faults.length === 0) continue;
  failed += 1;
  process.stdout.write(`node test/simulation/seed-run.ts ${seed}\n  ${faults.join("\n  ")}\n`);
  if (count === "1") {
    process.stdout.write(`${JSON.stringify(scenario, undefined, 1)}\n`);
    for (const { run, events } of operated)
      for (const event of events) process.stdout.write(`${run} ${JSON.stringify(event)}\n`);
  }
  if (failed >= Number(stopAfter)) break;
}
const ms = performance.now() - started;
process.stdout.write(`${failed} of ${count} failed, ${(ms / Number(count)).toFixed(2)} ms each\n`);
process.exitCode = failed === 0 ? 0 : 1;
