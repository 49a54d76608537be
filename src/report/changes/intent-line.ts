import type { FactChange } from "../../core/events.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";
import { safeLine, showValue } from "../text/value.ts";
import { cutTo } from "../text/width.ts";
import { count, factName } from "../text/words.ts";
import { fieldsOf } from "./fields.ts";
import { hiddenField, isHidden } from "../text/hidden-field.ts";

/** The maximum length, in terminal columns, of the text that says what an undecided task wants. */
const longest = 140;

/** Says on one line what an undecided task wants: `wants state started, enabled true`; empty if nothing is known. */
export function intentLine(intends: readonly FactChange[], title: string): string {
  const parts = intends.flatMap((change) => {
    // The exit code expected of an `unless` command is a condition, not the purpose of the task.
    if (change.fact.startsWith("userCommand:")) return [];
    const wants = wantsOf(change);
    if (wants === "") return [];
    const name = factName(change.fact);
    const key = name.slice(name.indexOf(":") + 1).replace(/\.service$/, "");
    return [title.includes(key) ? wants : `${safeLine(name)} ${wants}`];
  });
  const line = parts.join("; ");
  if (line === "") return "";
  return `wants ${cutTo(line, longest)}`;
}

function wantsOf({ differences, secret }: FactChange): string {
  const fields = differences.flatMap(({ path, to }) =>
    isRecord(to) || Array.isArray(to) ? [...fieldsOf(to, path)] : [[path, to] as const],
  );
  return [...new Set(fields.flatMap(([path, value]) => wantOf(path, value, secret)))].join(", ");
}

function wantOf(path: string, value: unknown, secret: boolean): string[] {
  if (typeof value === "symbol" && value !== absent) return [];
  if (isHidden(path, secret)) return [hiddenField(safeLine(path))];
  // Hashes, and the file versions that a unit was started or reloaded with, mean nothing to a reader.
  if (/(^|\.)(sha\d+|digest|seal)$|^(started|reloaded)With/.test(path)) return [];
  if (value === absent) return [path === "" ? "absent" : `${safeLine(path)} absent`];
  if (/(^|\.)(text|content|xml)$/.test(path) && typeof value === "string") {
    return [`content of ${count(value.split("\n").length - 1, "line")}`];
  }
  // A secret fact without fields consists only of its value.
  if (path === "") return [secret ? "(secret)" : showValue(value)];
  return [`${safeLine(path)} ${showValue(value)}`];
}
