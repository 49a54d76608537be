import { type FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Paint } from "./colours.ts";
import { safeLine } from "./value.ts";
import { position } from "./words.ts";

/** How errors are shown. */
export interface ErrorStyle {
  readonly paint: Paint;
  /** Paths are shown relative to this folder. */
  readonly folder: string;
  /** Whether the report shows all output. */
  readonly verbose?: boolean;
}

/** The hint of an error. If the error shows only a part of the output, the hint says how to see all of it. */
export function hintOf({ failure }: FurrowError, verbose = false): string | undefined {
  const { hint, isPartial = false } = failure;
  return hint ?? (isPartial && !verbose ? "Run again with -v to see all of its output" : undefined);
}

/**
 * Formats an error as a block of lines: what failed, where, the current and expected values, the hint, and the last
 * output. An expected failure is shown without a stack; any other error is shown as a bug, with its stack.
 */
export function errorBlock(error: unknown, style: ErrorStyle): string[] {
  if (!isFurrowError(error)) return bugBlock(error, style);
  const { paint } = style;
  const { what, details = [] } = error.failure;
  const rows = errorRows(error, style);
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return [
    `${paint.bad(paint.strong(error.code))}  ${paint.strong(printed(what))}`,
    ...rows.flatMap(([label, value]) => row(label.padEnd(width), value, paint)),
    ...trimmed(details.flatMap((line) => printed(line).split("\n"))).map((line) =>
      `  ${paint.dim("|")} ${line}`.trimEnd(),
    ),
    ...(error.code === "E_BUG" ? stackLines(error.cause ?? error, paint) : []),
  ];
}

/** Removes empty lines at both ends. */
function trimmed(lines: readonly string[]): readonly string[] {
  const isText = (line: string): boolean => line.trim() !== "";
  const first = lines.findIndex(isText);
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
}

/** Returns the labelled parts of an error, in display order. */
function errorRows(error: FurrowError, { folder, verbose }: ErrorStyle): [string, string][] {
  const { where = {}, current, expected } = error.failure;
  const rows: [string, string | undefined][] = [
    ["host", where.host],
    ["play", where.play],
    ["task", where.task],
    ["param", where.param],
    ["at", where.source === undefined ? undefined : position(where.source, folder)],
    ["playbook", where.source === undefined ? where.playbook && position(where.playbook, folder) : undefined],
    ["current", current],
    ["expected", expected],
    ["hint", hintOf(error, verbose)],
  ];
  return rows.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== "");
}

function row(label: string, value: string, paint: Paint): string[] {
  const [first = "", ...rest] = printed(value).split("\n");
  const shown = label.trim() === "hint" ? paint.good(first) : first;
  return [`  ${paint.dim(label)}  ${shown}`, ...rest.map((line) => `  ${" ".repeat(label.length)}  ${line}`)];
}

function bugBlock(error: unknown, { paint }: ErrorStyle): string[] {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return [`${paint.bad(paint.strong("E_BUG"))}  ${paint.strong(printed(what))}`, ...stackLines(error, paint)];
}

function stackLines(error: unknown, paint: Paint): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return [
    ...frames.map((line) => paint.dim(`  ${line.trim()}`)),
    "  this is a bug in furrow, unless the stack begins in your own file: please report it with the lines above",
  ];
}

/** Formats an error in one line, for an error that was already shown in full. */
export function errorLine(error: FurrowError): string {
  return `${error.code}: ${printed(error.failure.what)}`;
}

function printed(text: string): string {
  return text.split("\n").map(safeLine).join("\n");
}
