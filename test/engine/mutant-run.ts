import * as fc from "fast-check";
import { disagreement, trace } from "./comparison.ts";
import { programs } from "./programs.ts";

/**
 * Run by the mutant test in a copy of the sources: exits 1 as soon as engine and oracle disagree, 0 if they never do.
 * Arguments: mode, number of programs.
 */
const [mode = "apply", count = "1000"] = process.argv.slice(2);
const sample = fc.sample(programs, { numRuns: Number(count), seed: 20_261_121 });
for (const [index, program] of sample.entries()) {
  const compared =
    mode === "lossy"
      ? trace(program, index, { neverArrived: 0, cutAnswer: 0 })
      : disagreement(program, mode === "check" ? "check" : "apply");
  const found = await compared.catch(String);
  if (found !== undefined) {
    process.stdout.write(`${index + 1}\n`);
    process.exitCode = 1;
    break;
  }
}
