import type { FurrowError } from "../../core/errors.ts";
import { beginsWithCommand, errorLine, errorLines, hintOf, isHeld } from "../text/error-block.ts";
import { errorLikenesses, Grouped, sharedError, sharedWhat, withoutName } from "../fold/alike.ts";
import { shortNames } from "../fold/short-names.ts";
import type { Paint } from "../text/colours.ts";
import { safeLine } from "../text/value.ts";
import { count, position } from "../text/words.ts";
import { cutTo } from "../text/width.ts";
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
  /** True if the run has only one host. The hints of its failures are then not repeated. */
  readonly isAlone?: boolean;
  /** The hosts of the run, in the order of the inventory. */
  readonly hosts?: readonly string[];
  /** The width of the terminal; undefined for a pipe or a file. */
  readonly columns?: number;
}

/** The longest list of hosts with the same failure, in characters. */
const namesRoom = 60;
/** Up to this many different errors of a task are repeated in full. */
const mostErrors = 3;
/** The longest command that an error repeats, in terminal columns. */
const longestCommand = 120;
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

function section(title: string, found: readonly Failed[], style: FailureStyle): string[] {
  if (found.length === 0) return [];
  const { paint, hosts = [] } = style;
  const at = new Map(hosts.map((host, index) => [host, index]));
  const failures = found.toSorted((a, b) => (at.get(a.host) ?? 0) - (at.get(b.host) ?? 0));
  const head = ["", paint.strong(paint.bad(title))];
  if (style.isAlone === true) return [...head, ...failures.flatMap((failed) => shortLines(failed, style))];
  const blocks = byTask(groups(failures, style.fold), style.fold).flatMap(([group = [], ...more]) => [
    ...groupLines(group, style),
    ...moreLines(more, style),
  ]);
  return [...head, ...blocks];
}

/** Repeats a failure, which several hosts may share. */
function groupLines(group: readonly Failed[], style: FailureStyle): string[] {
  const { paint } = style;
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
    ...errorLines(error, style.columns, "    ").map((line) => paint.bad(cutCommand(line, error, style.columns))),
    ...causeOf(error).map((line) => `    ${paint.dim("|")} ${safeLine(line)}`.trimEnd()),
    ...(hint === undefined ? [] : wrapped(`    ${safeLine(hint)}`, style.columns, "    ")),
  ];
}

/** Says which other hosts failed at the same task with errors of their own. */
function moreLines(more: readonly (readonly Failed[])[], { paint, columns }: FailureStyle): readonly string[] {
  const others = more.flat();
  if (others.length === 0) return [];
  const what = others.every(({ error }) => beginsWithCommand(error.code)) ? "output" : "details";
  const hosts = [...new Set(others.map(({ host }) => host))];
  const said = `and ${count(hosts.length, "more host")} with other ${what}, shown above: ${shortNames(hosts, namesRoom)}`;
  return wrapped(`    ${said}`, columns, "    ").map((line) => paint.dim(line));
}

/** Cuts a line that contains a command, because a command may fill many lines and is shown in full above. */
function cutCommand(line: string, { code }: FurrowError, columns = longestCommand + 4): string {
  return beginsWithCommand(code) ? cutTo(line, Math.min(columns, longestCommand + 4)) : line;
}

/**
 * Joins groups of failures that differ only in their details: failures of the same task or, without a task, the same
 * error. The largest group comes first. A few different errors stay separate.
 */
function byTask(all: readonly Failed[][], fold: boolean): Failed[][][] {
  if (!fold) return all.map((group) => [group]);
  const tasks = new Map<string, Failed[][]>();
  for (const group of all) {
    const [first] = group;
    if (first === undefined) continue;
    const { code, failure } = first.error;
    const what = first.task === undefined ? sharedWhat(first) : withoutName(first.task, first.host);
    const key = JSON.stringify([code, first.task === undefined, what, failure.where?.source]);
    tasks.set(key, [...(tasks.get(key) ?? []), group]);
  }
  return [...tasks.values()].flatMap((alike) =>
    alike.length <= mostErrors ? alike.map((group) => [group]) : [alike.toSorted((a, b) => b.length - a.length)],
  );
}

/**
 * Names a failure's task and error on one line, or on several on a narrow terminal, and repeats the most telling lines
 * of its output. The whole error with its hint is printed above.
 */
function shortLines({ host, task, error }: Failed, { paint, folder, columns }: FailureStyle): string[] {
  const { source } = error.failure.where ?? {};
  const isOfTask = task !== undefined && !isHeld(error);
  const place = isOfTask && source !== undefined ? `  ${position(source, folder)}` : "";
  const said = cutCommand(errorLine(error).replaceAll("\n", " "), error);
  const line = `  ${isOfTask ? safeLine(task) : host}${place}  ${said}`;
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

/** Returns the fingerprints of a host's known key and of the one that it offered; empty if the error has neither. */
function keysOf({ failure: { current = "", expected = "" } }: FurrowError): string[] {
  const isKey = (text: string): boolean => text.includes("SHA256:");
  return [...(isKey(expected) ? [`known    ${expected}`] : []), ...(isKey(current) ? [`offered  ${current}`] : [])];
}

/** Returns the most telling lines of output; without output, the current value, provided that it fits on one line. */
function causeOf(error: FurrowError): string[] {
  // The message of a refusal already gives the reason.
  if (error.code === "E_REFUSED") return [];
  const keys = error.code === "E_HOST_KEY" ? keysOf(error) : [];
  if (keys.length > 0) return keys;
  const { details = [], current } = error.failure;
  const printed = details.flatMap((line) => line.split("\n")).filter((line) => line.trim() !== "");
  if (printed.length > 0) return telling(printed);
  return current === undefined || current === "" || current.includes("\n") ? [] : [current];
}

/**
 * Returns, in order, the last line and those before it that look most like a cause. Among equally likely lines, prefers
 * the later ones.
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
