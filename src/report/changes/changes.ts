import { createRequire } from "node:module";
import type * as Diff from "diff";
import type { Difference } from "../../core/compare.ts";
import type { FactChange } from "../../core/events.ts";
import { absent, isRecord } from "../../core/symbols.ts";
import type { Paint } from "../paint.ts";
import { safeLine, showValue } from "../value.ts";
import { changedPart } from "./changed-lines.ts";
import { lossText } from "./loss.ts";
import { count, factName } from "../words.ts";

let loaded: typeof Diff | undefined;

/** Only texts that differ need it, and a converged run shows none. */
function library(): typeof Diff {
  loaded ??= createRequire(import.meta.url)("diff") as typeof Diff;
  return loaded;
}

/** Characters of what is said in one line about a thing that is new; --diff shows all of it. */
const longestSummary = 140;

/** How changes are shown. */
export interface ChangeStyle {
  readonly diff: boolean;
  readonly paint: Paint;
}

/** The changes of one task as lines, not indented. A fact is named unless `title` names it already. */
export function changeLines(all: readonly FactChange[], title: string, style: ChangeStyle): string[] {
  const changes = withoutTwins(all);
  return changes.flatMap((found) => {
    const change = { ...found, fact: factName(found.fact) };
    const [, key = change.fact] = /^[^:]*:(.*)$/s.exec(change.fact) ?? [];
    const named = changes.length === 1 && title.includes(key.replace(/\.service$/, ""));
    const lines = factLines(change, named, style);
    const whole = change.differences.some(({ path }) => path === "");
    if (named || whole) return lines;
    const [line, ...more] = lines;
    if (more.length === 0)
      return line === undefined ? [] : [`${safeLine(change.fact)}  ${line.replace(/^(\S+) {2,}/, "$1  ")}`];
    return [safeLine(change.fact), ...lines.map((part) => `  ${part}`)];
  });
}

/** What goes is said once: where it was counted, not also as the file it is. */
function withoutTwins(changes: readonly FactChange[]): readonly FactChange[] {
  const counted = changes.flatMap(({ fact }) => (fact.startsWith("removal:") ? [fact.slice("removal:".length)] : []));
  return counted.length === 0
    ? changes
    : changes.flatMap((change) => {
        if (counted.some((key) => change.fact === `file:${key}`)) return [];
        return [{ ...change, fact: change.fact.replace(/^removal:/, "file:") }];
      });
}

function factLines({ fact, differences, secret }: FactChange, named: boolean, { diff, paint }: ChangeStyle): string[] {
  const width = differences.length === 1 ? 0 : Math.max(0, ...differences.map(({ path }) => sealed(path).length));
  return differences.flatMap((difference) => {
    const { path, from, to } = difference;
    if (path === "") {
      const [line = "", ...more] = wholeLines(named ? "" : fact, difference, secret, { diff, paint });
      return line === paint.good("+") ? [paint.good(`+ ${safeLine(fact)}`), ...more] : [line, ...more];
    }
    const label = sealed(path).padEnd(width);
    if (isHidden(path, secret)) return [`${label}  ${paint.dim("(secret) differs")}`];
    if (isText(path) && typeof to === "string" && (typeof from === "string" || from === absent)) {
      return textLines(label, typeof from === "string" ? from : "", to, { diff, paint });
    }
    if (Array.isArray(from) && Array.isArray(to)) return listLines(label, from, to, paint);
    return [`${label}  ${hashless(path, from)} → ${paint.changed(hashless(path, to))}`];
  });
}

/** The name of what a seal stands for: `password` of `passwordSeal`. Others as they are. */
function sealed(path: string): string {
  return path.replace(/(?<=[a-z])Seal$/, "");
}

/** What may not be shown: seals, and of a secret fact its content and what stands for it. */
function isHidden(path: string, secret: boolean): boolean {
  return sealed(path) !== path || (secret && /(^|\.)(text|seal|sha256|value|content)$/.test(path));
}

function isText(path: string): boolean {
  return /(^|\.)(text|content|xml)$/.test(path);
}

/** A hash says nothing to a person but that it differs: twelve digits do. */
function hashless(path: string, value: unknown): string {
  return typeof value === "string" && /(^|\.)(sha256|seal)$/.test(path)
    ? value.replace(/^sealed:/, "").slice(0, 12)
    : showValue(value);
}

/** A thing that comes, goes or changes as a whole; `fact` is empty where the task's title names it. */
function wholeLines(fact: string, { from, to }: Difference, secret: boolean, style: ChangeStyle): string[] {
  const { paint } = style;
  const name = safeLine(fact);
  const lead = name === "" ? "" : `${name}  `;
  if (to === absent) {
    const what = lossText(from);
    return [
      paint.bad(`- ${name}${name !== "" && what !== "" ? "  " : ""}${what || (name === "" ? "what is there" : "")}`),
    ];
  }
  if (from !== absent) {
    const change = secret ? paint.dim("(secret) differs") : `${showValue(from)} → ${paint.changed(showValue(to))}`;
    return [lead + change];
  }
  if (!isRecord(to))
    return [paint.good(`+ ${lead}${secret ? "(secret)" : to === true ? "" : showValue(to)}`.trimEnd())];
  const entries = Object.entries(to).filter(([, value]) => value !== undefined);
  const texts = entries.flatMap(([key, value]) =>
    isText(key) && typeof value === "string" && !isHidden(key, secret) ? textLines(key, "", value, style) : [],
  );
  // A digest of what is new says nothing: there is no other to tell it from.
  const short = entries.flatMap(([key, value]) => {
    if (isHidden(key, secret)) return [`${sealed(key) === key ? "content" : sealed(key)} (secret)`];
    return isText(key) || isDigest(key) ? [] : [`${key} ${showValue(value)}`];
  });
  const whole = [...short, ...(texts.length === 1 ? texts : [])].join(", ").replaceAll(/ {2,}/g, " ");
  const summary = !style.diff && whole.length > longestSummary ? `${whole.slice(0, longestSummary - 1)}…` : whole;
  const head = paint.good(`+${name === "" ? "" : ` ${name}`}`);
  return [`${head}${name === "" ? " " : "  "}${summary}`.trimEnd(), ...(texts.length > 1 ? texts.slice(1) : [])];
}

/** A hash under any of its names. */
function isDigest(key: string): boolean {
  return /^(sha\d+|seal|digest)$/.test(key);
}

function listLines(label: string, from: readonly unknown[], to: readonly unknown[], paint: Paint): string[] {
  const before = from.map(showValue);
  const after = to.map(showValue);
  const gone = before.filter((item) => !after.includes(item)).map((item) => paint.bad(`- ${item}`));
  const come = after.filter((item) => !before.includes(item)).map((item) => paint.good(`+ ${item}`));
  return gone.length + come.length === 0
    ? [`${label}  in another order`]
    : [label.trimEnd(), ...[...gone, ...come].map((line) => `  ${line}`)];
}

function textLines(label: string, from: string, to: string, { diff, paint }: ChangeStyle): string[] {
  const part = changedPart(from, to, 3);
  if (part.tooMuch) {
    return [
      `${label}  ${count(part.removed, "line")} → ${count(part.added, "line")}${diff ? ", too many to show" : ""}`,
    ];
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
    ...lines.map((line) => paintDiffLine(safeLine(line.replaceAll("\r", "␍")), paint)),
  ]);
  return [label.trimEnd(), ...body.map((line) => `  ${line}`)];
}

function paintDiffLine(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint.good(line);
  return line.startsWith("-") ? paint.bad(line) : line;
}
