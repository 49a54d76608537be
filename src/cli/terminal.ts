import { jsonLine, jsonText, toJson } from "../report/json.ts";
import { errorBlock } from "../report/text/error-block.ts";
import { paintFor } from "../report/text/colours.ts";
import { clean, cleanFields } from "../report/clean.ts";
import { safeLine } from "../report/text/value.ts";
import { wrapped } from "../report/text/wrapped.ts";
import { redact } from "../core/secrets/redact.ts";

/**
 * True if output to this stream should be colored: if NO_COLOR or FORCE_COLOR is set, it decides; otherwise, only a
 * terminal gets colors.
 */
export function wantsColor(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return stream.isTTY && TERM !== "dumb";
}

/** Writes text to stdout, with secrets redacted and control characters escaped, except furrow's own colors. */
export function print(text: string): void {
  const lines = redact(text).split("\n");
  printRedacted(lines.map(wantsColor(process.stdout) ? safeColoredLine : safeLine).join("\n"));
}

function safeColoredLine(line: string): string {
  const parts = line.split(/(\u001B\[(?:[12]|22|3[1-359])m)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : safeLine(part))).join("");
}

/** Writes text to stdout in which secrets are already redacted. */
export function printRedacted(text: string): void {
  process.stdout.write(text);
}

/**
 * Writes a record as JSON to stdout, with secrets redacted in its values. Redacting the whole text would also replace
 * parts of furrow's field names and of JSON's punctuation that equal a secret.
 */
export function printJson(record: object, indent?: number): void {
  const data = cleanFields(toJson(record) as object, { kept: ["schema", "host", "exitCode"] });
  printRedacted(`${jsonText(data, indent)}\n`);
}

/**
 * The width of the terminal that shows this stream; undefined for a pipe or a file, and for a terminal without a known
 * width, such as that of script(1), which reports 0 columns.
 */
export function columnsOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY && stream.columns > 0 ? stream.columns : undefined;
}

/** Writes a notice to stderr, with secrets redacted and control characters escaped. */
export function warn(text: string): void {
  const given = redact(text).split("\n").map(safeLine);
  const lines = given.flatMap((line) => wrapped(line, columnsOf(process.stderr), "  "));
  process.stderr.write(`${lines.join("\n")}\n`);
}

/** Writes a line of output to stderr, with secrets redacted and control characters escaped. */
export function printOutput(text: string): void {
  process.stderr.write(`${redact(text).split("\n").map(safeLine).join("\n")}\n`);
}

/** Prints an error as one block on stderr; with `json`, also as a JSON line on stdout. */
export function printError(error: unknown, json: boolean): void {
  const cleaned = clean(error);
  if (json) process.stdout.write(jsonLine({ type: "error", error: cleaned }, new Date()));
  const paint = paintFor(wantsColor(process.stderr));
  const columns = json ? undefined : columnsOf(process.stderr);
  const block = errorBlock(cleaned, { paint, folder: process.cwd(), columns });
  process.stderr.write(`${block.join("\n")}\n`);
}
