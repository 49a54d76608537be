import type { FurrowError } from "../../core/errors.ts";
import { errorLine, errorLines, hintOf, isHeld } from "../text/error-block.ts";
import { errorLikenesses, Grouped, sharedError } from "../fold/alike.ts";
import { shortNames } from "../fold/short-names.ts";
import type { Paint } from "../text/colours.ts";
import { safeLine } from "../text/value.ts";
import { count, position } from "../text/words.ts";
import { wrapped } from "../text/wrapped.ts";

/** A failure, repeated at the end of a report. */
export interface Failed {
  readonly host: string;
  readonly task: string | undefined;
  readonly error: FurrowError;
}

/** The options for showing repeated failures. */
export interface FailureStyle {
  readonly paint: Paint;
  /** Paths are shown relative to this folder. */
  readonly folder: string;
  /** Whether to show a failure only once if several hosts share it. */
  readonly fold: boolean;
  /** Whether the report shows all output. */
  readonly verbose: boolean;
  /** True if the run has one host only: the hints of its failures are not repeated. */
  readonly isAlone?: boolean;
  /** The width of the terminal; undefined for a pipe or a file. */
  readonly columns?: number;
}

/** The longest list of hosts with the same failure, in characters. */
const namesRoom = 60;
/** The number of lines of output that are repeated. */
const causeLines = 4;
/** Words in lines that may explain a failure, the most telling words first. */
const causeWords = [
  /\b(?:emerg|alert|crit|critical|fatal|panic|error|err|exception|invalid|cannot|can't|could not|unable|not found|no such|denied|refused|unknown|unexpected|undefined)\b/i,
  /\b(?:failed|failure)\b/i,
];

/**
 * Repeats the failures at the end of a report: what failed, where and why, with the hint; then the hosts held by other
 * runs. Empty if nothing failed.
 */
export function failureLines(failures: readonly Failed[], style: FailureStyle): string[] {
  const held = failures.filter(({ error }) => isHeld(error));
  return [
    ...section(
      "failed",
      failures.filter(({ error }) => !isHeld(error)),
      style,
    ),
    ...section("held by other runs", held, style),
  ];
}

function section(title: string, failures: readonly Failed[], style: FailureStyle): string[] {
  if (failures.length === 0) return [];
  const { paint } = style;
  const head = ["", paint.strong(paint.bad(title))];
  if (style.isAlone === true) return [...head, ...failures.flatMap((failed) => shortLines(failed, style))];
  const blocks = groups(failures, style.fold).flatMap((group) => {
    const error = sharedError(group);
    const task = isHeld(error) ? undefined : group[0]?.task;
    const hosts = group.map(({ host }) => host);
    const names = shortNames(hosts, namesRoom);
    const many = hosts.length > 2 ? ` (${count(hosts.length, "host")})` : "";
    const { source } = error.failure.where ?? {};
    const place = source === undefined || isHeld(error) ? "" : `  ${paint.dim(position(source, style.folder))}`;
    const hint = hintOf(error, style.verbose);
    return [
      `  ${paint.strong(names)}${many}${task === undefined ? "" : `  ${safeLine(task)}`}${place}`,
      ...errorLines(error, style.columns, "    ").map((line) => paint.bad(line)),
      ...causeOf(error).map((line) => `    ${paint.dim("|")} ${safeLine(line)}`.trimEnd()),
      ...(hint === undefined ? [] : wrapped(`    ${safeLine(hint)}`, style.columns, "    ")),
    ];
  });
  return [...head, ...blocks];
}

/**
 * Names a failure's task and error on one line, or on several on a narrow terminal, and repeats the most telling lines
 * of its output. The whole error with its hint is printed above.
 */
function shortLines({ host, task, error }: Failed, { paint, folder, columns }: FailureStyle): string[] {
  const { source } = error.failure.where ?? {};
  const isOfTask = task !== undefined && !isHeld(error);
  const place = isOfTask && source !== undefined ? `  ${position(source, folder)}` : "";
  const line = `  ${isOfTask ? safeLine(task) : host}${place}  ${errorLine(error).replaceAll("\n", " ")}`;
  const causes = (error.failure.details ?? []).length === 0 && !isHeld(error) ? [] : causeOf(error);
  return [
    ...wrapped(line, columns, "    ").map((part) => paint.bad(part)),
    ...causes.map((cause) => `    ${paint.dim("|")} ${safeLine(cause)}`.trimEnd()),
  ];
}

function groups(failures: readonly Failed[], fold: boolean): Failed[][] {
  if (!fold) return failures.map((failed) => [failed]);
  const alike = new Grouped<Failed[]>();
  const all: Failed[][] = [];
  for (const failed of failures) {
    const keys = errorLikenesses(failed.error, failed.host);
    const group = alike.find(keys) ?? [];
    if (group.length === 0) all.push(group);
    group.push(failed);
    alike.add(keys, group);
  }
  return all;
}

/** Returns the most telling lines of output; without output, the current value, provided that it fits on one line. */
function causeOf(error: FurrowError): string[] {
  // The message of a refusal already gives the reason.
  if (error.code === "E_REFUSED") return [];
  const { details = [], current } = error.failure;
  const printed = details.flatMap((line) => line.split("\n")).filter((line) => line.trim() !== "");
  if (printed.length > 0) return telling(printed);
  return current === undefined || current === "" || current.includes("\n") ? [] : [current];
}

/**
 * Returns, in order, the last line and those before it that look most like a cause; of equally likely lines, the later
 * ones.
 */
function telling(printed: readonly string[]): string[] {
  const rank = (line: string): number => (causeWords.findIndex((words) => words.test(line)) + 1 || 3) * -1;
  const last = printed.length - 1;
  const before = printed
    .map((line, at) => ({ at, rank: rank(line) }))
    .slice(0, last)
    .toSorted((a, b) => b.rank - a.rank || b.at - a.at)
    .slice(0, causeLines - 1);
  return printed.filter((_, at) => at === last || before.some((line) => line.at === at));
}
