/** `npm test [SUITE…]`: every suite that can run here, in order; ends with what was covered and what was left out. */
import { installPackages } from "./suites/debian-packages.ts";
import { runSuite } from "./suites/run-suite.ts";
import { longSuites, obstacle, packagesToInstall, type Suite, suites, thisMachine } from "./suites/suites.ts";
import { type SuiteOutcome, summary } from "./suites/summary.ts";

const wanted = process.argv.slice(2);
const all = [...suites, ...longSuites];
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

const outcomes = chosen.map((suite): readonly [Suite, SuiteOutcome] => {
  const leftOut = obstacle(suite, thisMachine);
  return [suite, leftOut === undefined ? runSuite(suite.name, suite.retries) : { leftOut }];
});
console.log(`\n${summary(outcomes)}`);
if (outcomes.some(([, outcome]) => "ok" in outcome && !outcome.ok)) process.exitCode = 1;
