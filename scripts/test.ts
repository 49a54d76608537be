/**
 * `npm test [SUITE… | --longer]`: runs every suite that can run here, in order; at the end it reports what was covered
 * and what was left out. `--longer` means all suites that are too long for `npm test`.
 */
import { appendFileSync } from "node:fs";
import { installPackages } from "./suites/debian-packages.ts";
import { runSuite } from "./suites/run-suite.ts";
import {
  longSuites,
  obstacle,
  packagesToInstall,
  runTurn,
  separateSuites,
  type Suite,
  suites,
  thisMachine,
  turns,
} from "./suites/suites.ts";
import { type SuiteOutcome, summary } from "./suites/summary.ts";

const all = [...suites, ...longSuites, ...separateSuites];
const wanted = process.argv
  .slice(2)
  .flatMap((word) => (word === "--longer" ? longSuites.map(({ name }) => name) : word));
const unknown = wanted.filter((name) => !all.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`no suite is named ${unknown.join(", ")}: choose from ${all.map(({ name }) => name).join(", ")}`);
  process.exit(64);
}

const chosen = wanted.length === 0 ? suites : all.filter(({ name }) => wanted.includes(name));
const missing = [...new Set(chosen.flatMap((suite) => packagesToInstall(suite, thisMachine)))];
if (missing.length > 0) {
  console.log(`Installing Debian packages for the tests: ${missing.join(", ")}…`);
  installPackages(missing);
}

const started = performance.now();
const outcomes: (readonly [Suite, SuiteOutcome])[] = [];
for (const turn of turns(chosen)) {
  const ran = await runTurn(turn, async (suite, position): Promise<readonly [Suite, SuiteOutcome]> => {
    const leftOut = obstacle(suite, thisMachine);
    if (leftOut !== undefined) return [suite, { leftOut }];
    return [suite, await runSuite(suite, position === 0 ? "now" : "at the end")];
  });
  outcomes.push(...ran);
}
const text = summary(outcomes, (performance.now() - started) / 1000);
console.log(`\n${text}`);
// A script that runs several of these commands prints all summaries again at the end.
const summaries = process.env["FURROW_SUMMARIES"];
if (summaries !== undefined) appendFileSync(summaries, `${text}\n`);
if (outcomes.some(([, outcome]) => "ok" in outcome && !outcome.ok)) process.exitCode = 1;
