import { createRequire } from "node:module";
import type * as Diff from "diff";
import { absent } from "../../core/facts/symbols.ts";
import { fromDifference, safeLine, showValue } from "../text/value.ts";
import { count } from "../text/words.ts";
import { changedPart } from "./changed-lines.ts";
import { paintDiffLine } from "./diff-colours.ts";
import { fieldDifferences } from "./fields.ts";
import { valueOfText } from "./structured-text.ts";
import { cutLines } from "./long-lines.ts";
import type { ChangeStyle } from "./style.ts";

let loaded: typeof Diff | undefined;

/** Returns the `diff` package, loaded on first use, because a run without changes never needs it. */
function library(): typeof Diff {
  loaded ??= createRequire(import.meta.url)("diff") as typeof Diff;
  return loaded;
}

/** Compares JSON or XML field by field; undefined if the texts are neither, or differ only in formatting. */
function structuredLines(label: string, from: string, to: string, { diff, paint }: ChangeStyle): string[] | undefined {
  const [old, now] = [valueOfText(from), valueOfText(to)];
  const fields = old === undefined || now === undefined ? [] : fieldDifferences(old, now);
  if (fields.length === 0) return undefined;
  if (diff) {
    const body = fields.map(({ path, from: before, to: after }) => {
      if (after === absent) return paint.bad(`- ${safeLine(path)}  ${showValue(before)}`);
      if (before === absent) return paint.good(`+ ${safeLine(path)}  ${showValue(after)}`);
      const [old, now] = fromDifference(before, after);
      return `~ ${safeLine(path)}  ${showValue(old)} → ${paint.changed(showValue(now))}`;
    });
    return [label.trimEnd(), ...body.map((line) => `  ${line}`)];
  }
  const added = fields.filter((field) => field.from === absent).length;
  const removed = fields.filter((field) => field.to === absent).length;
  const changed = fields.length - added - removed;
  const counts = [
    [added, "added"],
    [changed, "changed"],
    [removed, "removed"],
  ] as const;
  const [[first, word] = [0, ""], ...more] = counts.filter(([number]) => number > 0);
  return [`${label}  ${[`${count(first, "field")} ${word}`, ...more.map((part) => part.join(" "))].join(", ")}`];
}

/** A string that was replaced as a whole, because it contains a secret. */
const wholeSecret = /^«secret [^»\n]*»$/;

/** Formats a change to text: the number of added and removed lines or, with `diff`, the lines themselves. */
export function textDiff(label: string, from: string, to: string, style: ChangeStyle): string[] {
  const { diff, paint } = style;
  // Nothing is known about a secret text, not even its number of lines.
  if (wholeSecret.test(from) || wholeSecret.test(to)) return [`${label}  (secret)${from === "" ? "" : " differs"}`];
  const structured = from === "" ? undefined : structuredLines(label, from, to, style);
  if (structured) return structured;
  const part = changedPart(from, to, 3);
  if (part.tooMuch) {
    const [removed, added] = [count(part.removed, "line"), count(part.added, "line")];
    const said =
      part.added === 0 ? `${removed} removed` : part.removed === 0 ? `${added} added` : `${removed} → ${added}`;
    return [`${label}  ${said}${diff ? ", too many to show" : ""}`];
  }
  if (!diff) {
    const parts = library().diffLines(part.from, part.to);
    const sum = (kind: "added" | "removed"): number =>
      parts.reduce((total, part) => total + (part[kind] ? (part.count ?? 0) : 0), 0);
    const [added, removed] = [sum("added"), sum("removed")];
    const said = [added > 0 && `${count(added, "line")} added`, removed > 0 && `${count(removed, "line")} removed`];
    return [`${label}  ${said.filter(Boolean).join(", ") || "differs"}`];
  }
  const { hunks } = library().structuredPatch("", "", part.from, part.to, undefined, undefined, { context: 3 });
  const body = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    paint.dim(`@@ -${oldStart + part.above},${oldLines} +${newStart + part.above},${newLines} @@`),
    ...(style.isWhole === true ? lines : cutLines(lines)).map((line) =>
      paintDiffLine(safeLine(line.replaceAll("\r", "␍")), paint),
    ),
  ]);
  return [label.trimEnd(), ...body.map((line) => `  ${line}`)];
}
