import type { Failure, SuiteResult } from "./run-suite.ts";
import type { Suite } from "./suites.ts";

/** The result of a suite, or why it was left out. */
export type SuiteOutcome = SuiteResult | { readonly leftOut: string };

/** At most this many skipped tests are named. */
const mostNames = 20;

/** The part of a failed attempt's error that is repeated: the number of lines, and of columns in each. */
const mostLines = 25;
const widestLine = 240;

/**
 * The last screen of `npm test`: what failed, what was covered, what was left out, and how long everything took (in
 * seconds). If suites ran in parallel, that time is less than the sum of theirs.
 */
export function summary(outcomes: readonly (readonly [Suite, SuiteOutcome])[], seconds: number): string {
  const blocks = outcomes.map(([suite, outcome]) =>
    "leftOut" in outcome ? `left out  ${suite.name}: ${outcome.leftOut} (${suite.about})` : ran(suite, outcome),
  );
  return [...blocks, `${duration(seconds)} in all`].join("\n");
}

/** A failure with the beginning of its error. If only the end of a log is kept, nothing else remains of the failure. */
function told(verdict: string, { name, messages }: Failure): string {
  const attempts = messages.map((message) =>
    message.split("\n").filter((line) => line.trim() !== "" && !line.includes("node_modules")),
  );
  const shown = attempts.flatMap((lines, attempt) => [
    ...(attempt === 0 ? [] : ["the next attempt:"]),
    ...lines.slice(0, mostLines),
  ]);
  return [`${verdict}: ${name}`, ...shown.map((line) => `            ${line.trimEnd().slice(0, widestLine)}`)].join(
    "\n",
  );
}

function ran(suite: Suite, result: SuiteResult): string {
  const verdict = result.ok ? "ok       " : "FAILED   ";
  const failed = result.failed > 0 ? `, ${result.failed} failed` : "";
  const head = `${verdict} ${suite.name}: ${result.passed} tests passed${failed}, ${result.files} files, ${duration(result.seconds)} (${suite.about})`;
  const left = result.skipped.slice(0, mostNames).map((name) => `            left out: ${name}`);
  if (result.skipped.length > mostNames) left.push(`            and ${result.skipped.length - mostNames} more`);
  // Failures are shown first, because a log that is cut off keeps the part that begins with "FAILED".
  const causes = [
    ...result.failures.map((failure) => told("failed", failure)),
    ...result.unsteady.map((failure) => told("failed once, then passed", failure)),
  ];
  return [head, ...causes, ...result.covered.map((line) => `            ${line}`), ...left].join("\n");
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
