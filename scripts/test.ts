/**
 * `npm test [SUITE… | --longer] [full] [--minutes=N]`: runs every suite that can run here, in order; at the end it
 * reports what was covered and what was left out. `--longer` means all suites that are too long for `npm test`. With
 * `full`, tests that usually check a random sample of cases check as many cases as the docs state for the full test.
 * With `--minutes`, suites that take several minutes start no test file after that time, and run their files in an
 * order that depends on the commit.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { installPackages } from "./suites/debian-packages.ts";
import { runSuite } from "./suites/run-suite.ts";
import {
  deadline,
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
import { shortSummary, type SuiteOutcome, summary } from "./suites/summary.ts";

const all = [...suites, ...longSuites, ...separateSuites];
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { longer: { type: "boolean" }, minutes: { type: "string" } },
});
const named = positionals.filter((one) => one !== "full");
// The suites inherit the variable; test/seeded.ts reads it.
if (named.length < positionals.length) process.env["FURROW_FULL"] = "1";
const wanted = [...named, ...(values.longer === true ? longSuites.map(({ name }) => name) : [])];
const unknown = wanted.filter((name) => !all.some((suite) => suite.name === name));
if (values.minutes !== undefined && !(Number(values.minutes) > 0)) {
  console.error(`--minutes must be a number above 0, but is ${values.minutes}`);
  process.exit(64);
}
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

const seed = seedOfCommit();
const started = performance.now();
const end = values.minutes === undefined ? undefined : Date.now() + Number(values.minutes) * 60_000;
const outcomes: (readonly [Suite, SuiteOutcome])[] = [];
for (const turn of turns(chosen)) {
  const ran = await runTurn(turn, async (suite, position): Promise<readonly [Suite, SuiteOutcome]> => {
    const leftOut = obstacle(suite, thisMachine);
    if (leftOut !== undefined) return [suite, { leftOut }];
    const last = end === undefined ? undefined : deadline(suite, turn, Date.now(), end);
    const sample = last === undefined ? undefined : { deadline: last, seed };
    return [suite, await runSuite(suite, position === 0 ? "now" : "at the end", sample)];
  });
  outcomes.push(...ran);
}
const text = summary(outcomes, (performance.now() - started) / 1000);
console.log(`\n${text}`);
// A script that runs several of these commands prints all results again at the end.
const summaries = process.env["FURROW_SUMMARIES"];
if (summaries !== undefined) appendFileSync(summaries, `${shortSummary(outcomes)}\n`);
if (outcomes.some(([, outcome]) => "ok" in outcome && !outcome.ok)) process.exitCode = 1;

/** A number that is the same for every run on one commit; 0 outside a repository. */
function seedOfCommit(): number {
  try {
    return Number.parseInt(execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).slice(0, 7), 16);
  } catch {
    return 0;
  }
}
