import type { SuiteResult } from "./run-suite.ts";
import type { Failure } from "./suite-report.ts";
import type { Suite } from "./suites.ts";

/** The result of a suite, or why it was left out. */
export type SuiteOutcome = SuiteResult | { readonly leftOut: string };

/** At most this many skipped tests are named. */
const mostNames = 20;

/** How much of a failed attempt's error the summary shows: the maximum number of lines, and of columns per line. */
const mostLines = 25;
const shortestLines = 6;
const widestLine = 240;

/**
 * The last screen of `npm test`: what failed, what was covered, what was left out, and how long everything took (in
 * seconds). If suites ran in parallel, that time is less than the sum of the suites' times.
 */
export function summary(outcomes: readonly (readonly [Suite, SuiteOutcome])[], seconds: number): string {
  const blocks = outcomes.map(([suite, outcome]) =>
    "leftOut" in outcome ? `left out  ${suite.name}: ${outcome.leftOut} (${suite.about})` : ran(suite, outcome),
  );
  return [...blocks, `${duration(seconds)} in all`].join("\n");
}

/**
 * Like {@link summary}, but without the parts about what was covered and what was left out, and with shorter errors. It
 * is printed at the end of a log of several commands, because a log that is cut off may keep only its end.
 */
export function shortSummary(outcomes: readonly (readonly [Suite, SuiteOutcome])[]): string {
  const blocks = outcomes.map(([suite, outcome]) => {
    if ("leftOut" in outcome) return `left out  ${suite.name}: ${outcome.leftOut}`;
    const left = outcome.skipped.length > 0 ? `, ${outcome.skipped.length} left out` : "";
    return [`${headOf(suite, outcome)}${left}`, ...causesOf(outcome, shortestLines)].join("\n");
  });
  return blocks.join("\n");
}

/** A failure with the beginning of its error. If only the end of a log is kept, nothing else remains of the failure. */
function told(verdict: string, { name, messages }: Failure, most: number): string {
  const attempts = messages.map((message) =>
    message.split("\n").filter((line) => line.trim() !== "" && !line.includes("node_modules")),
  );
  const shown = attempts.flatMap((lines, attempt) => [
    ...(attempt === 0 ? [] : ["the next attempt:"]),
    ...lines.slice(0, most),
  ]);
  return [`${verdict}: ${name}`, ...shown.map((line) => `            ${line.trimEnd().slice(0, widestLine)}`)].join(
    "\n",
  );
}

function ran(suite: Suite, result: SuiteResult): string {
  const left = result.skipped.slice(0, mostNames).map((name) => `            left out: ${name}`);
  if (result.skipped.length > mostNames) left.push(`            and ${result.skipped.length - mostNames} more`);
  // Failures are shown first, because a log that is cut off keeps the part that begins with "FAILED".
  const covered = result.covered.map((line) => `            ${line}`);
  return [`${headOf(suite, result)} (${suite.about})`, ...causesOf(result, mostLines), ...covered, ...left].join("\n");
}

function headOf({ name }: Suite, { ok, passed, failed, files, seconds }: SuiteResult): string {
  const failures = failed > 0 ? `, ${failed} failed` : "";
  return `${ok ? "ok       " : "FAILED   "} ${name}: ${passed} tests passed${failures}, ${files} files, ${duration(seconds)}`;
}

const causesOf = ({ failures, unsteady }: SuiteResult, most: number): string[] => [
  ...failures.map((failure) => told("failed", failure, most)),
  ...unsteady.map((failure) => told("failed once, then passed", failure, most)),
];

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
