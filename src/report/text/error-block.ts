import { type FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Paint } from "./colours.ts";
import { safeLine } from "./value.ts";
import { position } from "./words.ts";
import { wrapped } from "./wrapped.ts";

/** How errors are shown. */
export interface ErrorStyle {
  readonly paint: Paint;
  /** Paths are shown relative to this folder. */
  readonly folder: string;
  /** Whether the report shows all output. */
  readonly verbose?: boolean;
  /** The width that is left on the terminal; undefined for a pipe or a file. */
  readonly columns?: number | undefined;
}

/** The codes of errors that begin with a command, which must stay whole so that it can be copied. */
const ofCommands = new Set(["E_STEP", "E_TIMEOUT"]);

/** True if the text of an error with this code begins with a command. */
export function beginsWithCommand(code: FurrowError["code"]): boolean {
  return ofCommands.has(code);
}

/** True if the error says that another run holds the host: no task failed. */
export function isHeld({ code }: FurrowError): boolean {
  return code === "E_LOCKED";
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
  const details = shownDetails(error, style);
  const rows = errorRows(error, style);
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return [
    ...whatLines(error, style),
    ...rows.flatMap(([label, value]) => row(label.padEnd(width), value, style)),
    ...trimmed(details.flatMap((line) => printed(line).split("\n"))).map((line) =>
      `  ${paint.dim("|")} ${line}`.trimEnd(),
    ),
    ...(error.code === "E_BUG" ? stackLines(error.cause ?? error, style) : []),
  ];
}

/** A refusal's code is for programs: its message already gives the reason. */
const refusalCode = /^refused: [a-z0-9-]+$/;

function shownDetails({ code, failure: { details = [] } }: FurrowError, { verbose }: ErrorStyle): readonly string[] {
  return code === "E_REFUSED" && verbose !== true ? details.filter((line) => !refusalCode.test(line)) : details;
}

/** Removes empty lines at both ends. */
function trimmed(lines: readonly string[]): readonly string[] {
  const isText = (line: string): boolean => line.trim() !== "";
  const first = lines.findIndex(isText);
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
}

/** Returns the labeled parts of an error, in display order. */
function errorRows(error: FurrowError, { folder, verbose }: ErrorStyle): [string, string][] {
  const { where: all = {}, current, expected } = error.failure;
  // The task that found the host locked is irrelevant to the error.
  const where = isHeld(error) ? { ...(all.host !== undefined && { host: all.host }) } : all;
  const rows: [string, string | undefined][] = [
    ["host", where.host],
    ["play", where.play],
    ["task", where.task],
    ["param", where.param],
    ["at", where.source === undefined ? undefined : position(where.source, folder)],
    ["playbook", where.source === undefined ? where.playbook && position(where.playbook, folder) : undefined],
    [isHeld(error) ? "held by" : "current", current],
    ["expected", expected],
    ["hint", hintOf(error, verbose)],
  ];
  return rows.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== "");
}

function whatLines({ code, failure: { what } }: FurrowError, { paint, columns }: ErrorStyle): string[] {
  const isCommand = ofCommands.has(code);
  const text = `${code}  ${isCommand ? printed(what) : safeLine(what)}`;
  // A command can have several lines; those below the first are indented, so none looks like a line of the report.
  const [first = "", ...rest] = isCommand ? text.split("\n") : wrapped(text, columns, "  ");
  const head = `${paint.bad(paint.strong(code))}  ${paint.strong(first.slice(code.length + 2))}`;
  return [head, ...rest.map((line) => paint.strong(isCommand ? `  ${line}` : line))];
}

function row(label: string, value: string, { paint, columns }: ErrorStyle): string[] {
  const indent = " ".repeat(label.length + 4);
  const given = printed(value).split("\n");
  const room = columns === undefined ? undefined : columns - indent.length;
  // A value of several lines is raw text, such as the content of a file.
  const lines = given.length > 1 ? given : wrapped(given[0] ?? "", room, "");
  const isHint = label.trim() === "hint";
  const [first = "", ...rest] = lines.map((line) => (isHint ? paint.good(line) : line));
  return [`  ${paint.dim(label)}  ${first}`, ...rest.map((line) => indent + line)];
}

function bugBlock(error: unknown, style: ErrorStyle): string[] {
  const { paint } = style;
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return [`${paint.bad(paint.strong("E_BUG"))}  ${paint.strong(safeLine(what))}`, ...stackLines(error, style)];
}

function stackLines(error: unknown, { paint, columns }: ErrorStyle): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return [
    ...frames.map((line) => paint.dim(`  ${line.trim()}`)),
    ...wrapped(
      "  this is a bug in furrow, unless the stack begins in your own file: please report it with the lines above",
      columns,
      "  ",
    ),
  ];
}

/** Formats an error like `errorLine`, indented, on several lines if it does not fit on the terminal. */
export function errorLines(error: FurrowError, columns: number | undefined, indent: string): readonly string[] {
  return ofCommands.has(error.code) ? [indent + errorLine(error)] : wrapped(indent + errorLine(error), columns, indent);
}

/** Formats an error on one line, for an error that was already shown in full. */
export function errorLine(error: FurrowError): string {
  return `${error.code}: ${safeLine(error.failure.what)}`;
}

function printed(text: string): string {
  return text.split("\n").map(safeLine).join("\n");
}
