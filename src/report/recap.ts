import type { FurrowError } from "../core/errors.ts";
import type { HostRecap, Mode, Outcome, RunEvent } from "../core/events.ts";
import { errorLine } from "./error-block.ts";
import { type Paint, paintOutcome } from "./paint.ts";
import { safeLine } from "./value.ts";
import { listDependencies } from "./undecided-text.ts";
import { bytes, count, duration, outcomeWord, position } from "./words.ts";

/** A failure as the end of a report repeats it. */
export interface Failed {
  readonly host: string;
  readonly task: string | undefined;
  readonly error: FurrowError;
}

/** What the recap needs beside the last event. */
export interface RecapContext {
  readonly paint: Paint;
  readonly folder: string;
  readonly verbose: boolean;
  /** Failures that were neither ignored nor mended, in the order they came. */
  readonly failures: readonly Failed[];
  /** What undecided tasks depend on: titles of earlier tasks. */
  readonly dependencies: readonly string[];
  readonly warnings: number;
}

type RunFinished = Extract<RunEvent, { type: "runFinished" }>;

const order: readonly Outcome[] = ["changed", "undecided", "ok", "skipped", "failed", "unreachable"];

/** The end of a report: counts per host, failures once more with what to do, and one line that says it all. */
export function recapLines(event: RunFinished, context: RecapContext): string[] {
  const { paint } = context;
  const width = Math.max(0, ...event.recap.map(({ host }) => host.length));
  const hosts = event.recap.map((host) => `  ${host.host.padEnd(width)}  ${hostCounts(host, event.mode, context)}`);
  return ["", paint.strong("recap"), ...hosts, ...failureLines(context), "", sumLine(event, context)];
}

function hostCounts(recap: HostRecap, mode: Mode, { paint, verbose }: RecapContext): string {
  const parts = order
    .filter((outcome) => recap.counts[outcome] > 0)
    .map((outcome) => paintOutcome(paint, outcome)(`${recap.counts[outcome]} ${outcomeWord(outcome, mode)}`));
  if (parts.length === 0 && recap.end !== "notStarted") parts.push(withoutTasks(recap.end, paint));
  if (recap.tolerated > 0) parts.push(`${recap.tolerated} tolerated`);
  const traffic = `${count(recap.frames, "frame")}, ${bytes(recap.bytesSent)} sent, ${bytes(recap.bytesReceived)} received`;
  if (recap.left !== undefined) parts.push(paint.unsure(`${recap.left} not reached`));
  if (recap.end === "notStarted") parts.unshift(paint.unsure("not started"));
  return parts.join(", ") + (verbose ? paint.dim(`  (${traffic})`) : "");
}

/** What became of a host none of whose tasks has ended. */
function withoutTasks(end: HostRecap["end"], paint: Paint): string {
  if (end === "failed") return paint.bad("failed before a task of its own");
  return end === "unreachable" ? paint.bad("unreachable") : "nothing to do";
}

function failureLines({ failures, paint, folder }: RecapContext): string[] {
  if (failures.length === 0) return [];
  const blocks = failures.flatMap(({ host, task, error }) => {
    const { source } = error.failure.where ?? {};
    const place = source === undefined ? "" : `  ${paint.dim(position(source, folder))}`;
    const { hint } = error.failure;
    return [
      `  ${paint.strong(host)}${task === undefined ? "" : `  ${safeLine(task)}`}${place}`,
      `    ${paint.bad(errorLine(error))}`,
      ...(hint === undefined ? [] : [`    ${safeLine(hint)}`]),
    ];
  });
  return ["", paint.strong(paint.bad("failed")), ...blocks];
}

function sumLine({ recap, mode, durationMs, interrupted }: RunFinished, context: RecapContext): string {
  const { paint, dependencies, warnings } = context;
  const total = (outcome: Outcome): number => recap.reduce((sum, host) => sum + host.counts[outcome], 0);
  const tolerated = recap.reduce((sum, host) => sum + host.tolerated, 0);
  const failed = total("failed");
  const lost = recap.filter(({ counts, end }) => counts.unreachable > 0 || end === "unreachable").length;
  const alone = recap.filter(
    ({ counts, end, tolerated: good }) => end === "failed" && counts.failed + counts.unreachable <= good,
  ).length;
  const left = recap.reduce((sum, host) => sum + (host.left ?? 0), 0);
  const parts = [
    (total("changed") > 0 ? paint.changed : paint.good)(`${total("changed")} ${outcomeWord("changed", mode)}`),
    total("undecided") > 0 && paint.unsure(`${total("undecided")} undecided${listDependencies(dependencies)}`),
    `${total("ok")} ok`,
    failed > 0 && paint.bad(`${failed} failed${tolerated > 0 ? ` (${tolerated} tolerated)` : ""}`),
    alone > 0 && paint.bad(`${count(alone, failed > 0 ? "more host" : "host")} failed`),
    lost > 0 && paint.bad(`${lost} unreachable`),
    left > 0 && paint.unsure(`${left} not reached`),
    warnings > 0 && paint.unsure(count(warnings, "warning")),
  ];
  const said = parts.filter((part) => part !== false).join(", ");
  const verb = interrupted ? paint.bad("interrupted: ") : "";
  return `${verb}${said} on ${count(recap.length, "host")} in ${duration(durationMs)}`;
}
