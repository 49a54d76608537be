import type { Difference } from "../../core/facts/compare.ts";
import type { FactChange } from "../../core/events.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";
import type { Paint } from "../text/colours.ts";
import { fromDifference, safeLine, showValue } from "../text/value.ts";
import { fieldDifferences, fieldsOf, isDeep } from "./fields.ts";
import { forPeople } from "./for-people.ts";
import { hiddenField, isHidden, sealed } from "../text/hidden-field.ts";
import { lossText } from "./loss.ts";
import type { ChangeStyle } from "./style.ts";
import { textDiff } from "./text-diff.ts";
import { treeChanges, type TreeChange } from "./tree-lines.ts";
import { turnWords } from "./unit-words.ts";
import { cutTo, padded, widthOf } from "../text/width.ts";
import { factName } from "../text/words.ts";

/** The maximum length of a new item's summary, in terminal columns; --diff shows the whole item. */
const longestSummary = 140;
/** A new item with nested fields is shown on one line if the line has at most this many characters. */
const longestLine = 80;

/** The number of entries in a tree, or fields of a new item, that are shown without --diff. */
const mostEntries = 20;

/**
 * Formats the changes made by one task as lines, without indentation. Names each fact unless `title` already names it.
 */
export function changeLines(found: readonly FactChange[], title: string, style: ChangeStyle): string[] {
  const all = forPeople(found, style.mode);
  const tree = all.find(({ fact, secret }) => fact.startsWith("tree:") && !secret);
  if (tree === undefined) return otherLines(all, title, style);
  const { entries, rest } = treeChanges(
    tree,
    all.filter((change) => change !== tree),
  );
  const lines = entryLines(entries, style);
  const isNamed = title.includes(tree.fact.slice("tree:".length));
  const shown = isNamed || lines.length === 0 ? lines : [safeLine(tree.fact), ...lines.map((line) => `  ${line}`)];
  return [...shown, ...otherLines(rest, title, style)];
}

/**
 * The hashes in these changes that no line shows, because there is no old hash to compare them with. They distinguish
 * new files with different content.
 */
export function hiddenDigests(all: readonly FactChange[]): string[] {
  const shown = all.filter(({ secret }) => !secret);
  return shown.flatMap(({ fact, differences }) =>
    differences.flatMap(({ path, to }) =>
      [...fieldsOf(to, path)].flatMap(([field, leaf]) => (isDigest(field) ? [`${fact} ${field} ${String(leaf)}`] : [])),
    ),
  );
}

function entryLines(entries: readonly TreeChange[], { diff, paint }: ChangeStyle): string[] {
  const shown = diff ? entries : entries.slice(0, mostEntries);
  const lines = shown.map(({ sign, text }) =>
    sign === "~" ? text && paint.changed(`~ ${text}`) : signed(sign, text, paint),
  );
  const hidden = entries.slice(shown.length);
  if (hidden.length === 0) return lines;
  const kinds = { "+": "new", "~": "changed", "-": "removed" } as const;
  const counts = Object.entries(kinds).flatMap(([sign, word]) => {
    const number = hidden.filter((entry) => entry.sign === sign).length;
    return number === 0 ? [] : [`${number} ${word}`];
  });
  return [...lines, paint.dim(`and ${hidden.length} more: ${counts.join(", ")}; --diff shows all`)];
}

function signed(sign: "+" | "-", text: string, paint: Paint): string {
  return (sign === "+" ? paint.good : paint.bad)(`${sign} ${text}`);
}

function otherLines(all: readonly FactChange[], title: string, style: ChangeStyle): string[] {
  const changes = withoutTwins(all);
  return changes.flatMap((found) => {
    const unpacked = unpackedLine(found, style.paint);
    if (unpacked !== undefined) return [unpacked];
    const { words, rest } = turnWords(found.fact.startsWith("unit:") ? found.differences : [], style.mode);
    const change = {
      ...found,
      fact: factName(found.fact),
      ...(found.fact.startsWith("unit:") && { differences: rest }),
    };
    const [, key = change.fact] = /^[^:]*:(.*)$/s.exec(change.fact) ?? [];
    const named = changes.length === 1 && title.includes(key.replace(/\.service$/, ""));
    const lines = [...words.map((line) => style.paint.changed(safeLine(line))), ...factLines(change, named, style)];
    const whole = change.differences.some(({ path }) => path === "");
    if (named || whole) return lines;
    const [line, ...more] = lines;
    if (more.length === 0)
      return line === undefined ? [] : [`${safeLine(change.fact)}  ${line.replace(/^(\S+) {2,}/, "$1  ")}`];
    return [safeLine(change.fact), ...lines.map((part) => `  ${part}`)];
  });
}

/**
 * Formats the line for an `unpacked:` fact. Such a fact records that an archive was unpacked; the line is about the
 * archive's files.
 */
function unpackedLine({ fact, differences }: FactChange, paint: Paint): string | undefined {
  const [, key] = /^unpacked:(\[.*\])$/s.exec(fact) ?? [];
  if (key === undefined) return undefined;
  const [to = "", archive = ""] = JSON.parse(key) as string[];
  const files = `the files of ${safeLine(archive)} in ${safeLine(to)}`;
  return differences.some(({ path, from }) => path === "" && from === absent)
    ? paint.good(`+ ${files}`)
    : paint.changed(`~ ${files}: the archive changed`);
}

/** If a `removal:` fact already describes a removed file, shows the `removal:` fact in place of the `file:` change. */
function withoutTwins(changes: readonly FactChange[]): readonly FactChange[] {
  const removals = changes.filter(({ fact }) => fact.startsWith("removal:"));
  const twins = new Set(removals.map(({ fact }) => fact.replace(/^removal:/, "file:")));
  return twins.size === 0
    ? changes
    : changes.flatMap((change) => {
        if (twins.has(change.fact)) return [];
        return [{ ...change, fact: change.fact.replace(/^removal:/, "file:") }];
      });
}

function factLines({ fact, differences, secret }: FactChange, named: boolean, style: ChangeStyle): string[] {
  const { paint } = style;
  const name = (path: string): string => (style.diff ? sealed(path) : sealed(path).replace(contentHash, "content"));
  const width = differences.length === 1 ? 0 : Math.max(0, ...differences.map(({ path }) => widthOf(name(path))));
  return differences.flatMap((difference) => {
    const { path, from, to } = difference;
    if (path === "") {
      const [line = "", ...more] = wholeLines(fact, named, difference, secret, style);
      return line === paint.good("+") ? [paint.good(`+ ${safeLine(fact)}`), ...more] : [line, ...more];
    }
    const label = padded(name(path), width);
    if (isHidden(path, secret)) return [`${label}  ${paint.dim("(secret) differs")}`];
    if (isText(path) && typeof to === "string" && (typeof from === "string" || from === absent)) {
      return textDiff(label, typeof from === "string" ? from : "", to, style);
    }
    if (Array.isArray(from) && Array.isArray(to)) {
      return isDeep(from) || isDeep(to) ? fieldLines(path, from, to, paint) : listLines(label, from, to, paint);
    }
    if (!style.diff && contentHash.test(path) && typeof from === "string" && typeof to === "string")
      return [`${label}  ${paint.changed("differs")}`];
    const [old, now] = fromDifference(from, to);
    return [`${label}  ${hashless(path, old)} → ${paint.changed(hashless(path, now))}`];
  });
}

/** The hash of a file's content, which is compared if the text was not read. Only --diff shows it. */
const contentHash = /(?<=^|\.)sha256$/;

function isText(path: string): boolean {
  return /(^|\.)(text|content|xml)$/.test(path);
}

/** Formats a value on one line. Shortens a hash to twelve digits, which are enough to show that it differs. */
function hashless(path: string, value: unknown): string {
  return typeof value === "string" && /(^|\.)(sha256|seal)$/.test(path)
    ? value.replace(/^sealed:/, "").slice(0, 12)
    : showValue(value);
}

/** Formats a fact that is added, removed or changed as a whole. `named` is true if the task title names the fact. */
function wholeLines(
  fact: string,
  named: boolean,
  { from, to }: Difference,
  secret: boolean,
  style: ChangeStyle,
): string[] {
  const { paint } = style;
  const name = named ? "" : safeLine(fact);
  const lead = name === "" ? "" : `${name}  `;
  if (to === absent) {
    const what = lossText(from, fact.slice(fact.indexOf(":") + 1));
    return [paint.bad(`- ${[what === "" ? safeLine(fact) : name, what].filter((part) => part !== "").join("  ")}`)];
  }
  if (from !== absent) {
    const change = secret
      ? paint.dim("(secret) differs")
      : `${showValue(from)} → ${paint.changed(typeof from === "symbol" && isRecord(to) ? fieldsText(to) : showValue(to))}`;
    return [lead + change];
  }
  if (!isRecord(to))
    return [paint.good(`+ ${lead}${secret ? "(secret)" : to === true ? "" : showValue(to)}`.trimEnd())];
  const entries = Object.entries(to).filter(([, value]) => value !== undefined);
  const texts = entries.flatMap(([key, value]) =>
    isText(key) && typeof value === "string" && !isHidden(key, secret) ? textDiff(key, "", value, style) : [],
  );
  // The digest of a new item is not useful, because there is no old digest to compare it with.
  const short = entries.flatMap(([key, value]) => {
    if (isHidden(key, secret)) return [hiddenField(key)];
    return isText(key) || isDigest(key) ? [] : [`${key} ${showValue(value)}`];
  });
  if (isDeep(to) && !secret && widthOf(short.join(", ")) > longestLine) {
    return newFields(name, to, texts, style);
  }
  const whole = [...short, ...(texts.length === 1 ? texts : [])].join(", ").replaceAll(/ {2,}/g, " ");
  const summary = style.diff ? whole : cutTo(whole, longestSummary);
  const head = paint.good(`+${name === "" ? "" : ` ${name}`}`);
  return [`${head}${name === "" ? " " : "  "}${summary}`.trimEnd(), ...(texts.length > 1 ? texts.slice(1) : [])];
}

/** Formats the known parts of a value on one line: `state started, enabled true`. */
function fieldsText(value: Readonly<Record<string, unknown>>): string {
  const known = Object.entries(value).filter(
    ([key, part]) => part !== undefined && typeof part !== "symbol" && !isDigest(key) && !isHidden(key, false),
  );
  return cutTo(known.map(([key, part]) => `${safeLine(key)} ${showValue(part)}`).join(", "), longestSummary);
}

/** Formats a new item with nested fields: one line per field. */
function newFields(name: string, value: unknown, texts: readonly string[], { diff, paint }: ChangeStyle): string[] {
  const all = [...fieldsOf(value)].flatMap(([path, leaf]): [string, string][] => {
    if (isText(path) || isDigest(path)) return [];
    return isHidden(path, false) ? [[sealed(path), "(secret)"]] : [[path, showValue(leaf)]];
  });
  const fields = diff ? all : all.slice(0, mostEntries);
  const width = Math.max(...fields.map(([path]) => widthOf(safeLine(path))));
  const lines = fields.map(([path, leaf]) => paint.good(`+ ${padded(safeLine(path), width)}  ${leaf}`));
  const more =
    all.length > fields.length ? [paint.dim(`and ${all.length - fields.length} more; --diff shows all`)] : [];
  const body = [...lines, ...more, ...texts];
  return name === "" ? body : [paint.good(`+ ${name}`), ...body.map((line) => `  ${line}`)];
}

/** Formats the fields that differ between two nested values. */
function fieldLines(path: string, from: unknown, to: unknown, paint: Paint): string[] {
  return fieldDifferences(from, to, path).map(({ path: field, from: old, to: now }) => {
    const name = safeLine(field);
    if (old === absent) return paint.good(`+ ${name}  ${showValue(now)}`);
    if (now === absent) return paint.bad(`- ${name}  ${showValue(old)}`);
    const [before, after] = fromDifference(old, now);
    return `${name}  ${showValue(before)} → ${paint.changed(showValue(after))}`;
  });
}

/** True if a field with this name contains a hash. */
function isDigest(key: string): boolean {
  return /(^|\.)(sha\d+|seal|digest)$/.test(key);
}

function listLines(label: string, from: readonly unknown[], to: readonly unknown[], paint: Paint): string[] {
  const before = from.map(showValue);
  const after = to.map(showValue);
  const [old, now] = [new Set(before), new Set(after)];
  const gone = before.filter((item) => !now.has(item)).map((item) => paint.bad(`- ${item}`));
  const come = after.filter((item) => !old.has(item)).map((item) => paint.good(`+ ${item}`));
  return gone.length + come.length === 0
    ? [`${label}  in a different order`]
    : [label.trimEnd(), ...[...gone, ...come].map((line) => `  ${line}`)];
}
