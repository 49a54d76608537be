import * as fc from "fast-check";
import { runScenario } from "../../simulation/run-scenario.ts";
import { scenarioOf } from "../../simulation/scenario.ts";
import { disagreement, trace } from "../comparison.ts";
import { type Program, programs } from "../programs.ts";

/**
 * The mutant test runs this file in a copy of the sources. The exit code is 1 as soon as engine and oracle disagree,
 * and 0 if they always agree. Arguments: mode, number of programs.
 */
const [mode = "apply", count = "1000"] = process.argv.slice(2);
/** The first few programs detect most mutants, so programs are generated in batches. */
const batch = 50;

function* randomPrograms(): Generator<Program> {
  for (let made = 0; made < Number(count); made += batch)
    yield* fc.sample(programs, { numRuns: batch, seed: 20_261_121 + made });
}

async function* findings(): AsyncGenerator<string | undefined> {
  if (mode === "simulated") {
    for (let seed = 1; seed <= Number(count); seed += 1) {
      const { faults } = await runScenario(scenarioOf(seed));
      yield faults[0];
    }
    return;
  }
  let index = 0;
  for (const program of randomPrograms()) {
    const compared =
      mode === "lossy"
        ? trace(program, index, { neverArrived: 0, cutAnswer: 0 })
        : disagreement(program, mode === "check" ? "check" : "apply");
    yield await compared.catch(String);
    index += 1;
  }
}

let number = 0;
for await (const found of findings()) {
  number += 1;
  if (found === undefined) continue;
  process.stdout.write(`${number}\n`);
  process.exitCode = 1;
  break;
}
