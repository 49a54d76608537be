import type { Difference } from "../../core/facts/compare.ts";
import type { FactChange } from "../../core/events.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";
import { safeLine, showValue } from "../text/value.ts";
import { lossText } from "./loss.ts";

/** An added, changed or removed entry in a tree. */
export interface TreeChange {
  readonly sign: "+" | "~" | "-";
  /** The entry's path in the tree, and a description; safe to print on a terminal. */
  readonly text: string;
}

/**
 * Returns the added, changed and removed entries in a tree, and the changes that do not belong to the tree. Large files
 * in a tree, and removals from it, are separate facts.
 */
export function treeChanges(
  tree: FactChange,
  others: readonly FactChange[],
): { readonly entries: TreeChange[]; readonly rest: readonly FactChange[] } {
  const root = tree.fact.slice("tree:".length);
  const inside = others.filter(({ fact }) => /^(file|removal):/.test(fact) && placeIn(root, fact) !== undefined);
  const gone = inside.filter(({ differences }) => differences.some(({ path, to }) => path === "" && to === absent));
  const goneNames = new Set(gone.map(({ fact }) => placeIn(root, fact) ?? ""));
  const [isGone, isInside] = [new Set(gone), new Set(inside)];
  const entries = [
    ...listed(tree.differences),
    ...removed(tree.differences, goneNames),
    ...gone.flatMap(({ fact, differences }): TreeChange[] => {
      const [{ from } = { from: undefined }] = differences;
      const name = placeIn(root, fact) ?? "";
      return [{ sign: "-", text: `${named(name, from)}  ${lossText(from, `${root}/${name}`)}`.trimEnd() }];
    }),
  ];
  const told = new Set(entries.map(({ text }) => text.split("  ")[0]));
  const large = inside.flatMap((change): TreeChange[] => {
    const name = safeLine(placeIn(root, change.fact) ?? "");
    if (isGone.has(change) || told.has(name)) return [];
    const isNew = change.differences.some(({ path, from }) => path === "" && from === absent);
    return [isNew ? { sign: "+", text: name } : { sign: "~", text: `${name}  content` }];
  });
  return { entries: [...entries, ...large], rest: others.filter((change) => !isInside.has(change)) };
}

function placeIn(root: string, fact: string): string | undefined {
  const path = fact.slice(fact.indexOf(":") + 1);
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

/** Returns the added and changed entries. */
function listed(differences: readonly Difference[]): TreeChange[] {
  const changes = new Map<string, string[]>();
  const entries: TreeChange[] = [];
  for (const { path, from, to } of differences) {
    if (path === "" && isRecord(to) && isRecord(to["entries"])) {
      for (const [name, entry] of Object.entries(to["entries"])) entries.push({ sign: "+", text: named(name, entry) });
    } else if (path.startsWith("entries.") && isRecord(to)) {
      const name = path.slice("entries.".length);
      if (from === absent) entries.push({ sign: "+", text: named(name, to) });
      else changes.set(name, [...(changes.get(name) ?? []), "all of it"]);
    } else if (path.startsWith("entries.")) {
      const at = path.lastIndexOf(".");
      const [name, part] = [path.slice("entries.".length, at), path.slice(at + 1)];
      const what = part === "sha256" ? "content" : `${part} ${showValue(from)} → ${showValue(to)}`;
      changes.set(name, [...(changes.get(name) ?? []), what]);
    }
  }
  const changed = [...changes].map(([name, what]): TreeChange => {
    return { sign: "~", text: `${safeLine(name)}  ${what.join(", ")}` };
  });
  return [...changed, ...entries];
}

/** Returns the removed entries that do not have their own `removal:` fact. */
function removed(differences: readonly Difference[], counted: ReadonlySet<string>): TreeChange[] {
  const names = differences.find(({ path }) => path === "names");
  if (!names || !Array.isArray(names.from) || !Array.isArray(names.to)) return [];
  const after = new Set<unknown>(names.to);
  return names.from.flatMap((name): TreeChange[] => {
    if (typeof name !== "string" || after.has(name)) return [];
    return isBelow(name, counted) ? [] : [{ sign: "-", text: safeLine(name) }];
  });
}

/** True if a name is in the set, or below a directory that is. */
function isBelow(name: string, all: ReadonlySet<string>): boolean {
  for (let end = name.indexOf("/"); end >= 0; end = name.indexOf("/", end + 1)) {
    if (all.has(name.slice(0, end))) return true;
  }
  return all.has(name);
}

function named(name: string, entry: unknown): string {
  const shown = safeLine(name);
  if (!isRecord(entry)) return shown;
  if (entry["type"] === "directory") return `${shown}/`;
  return entry["type"] === "link" && typeof entry["target"] === "string"
    ? `${shown} → ${safeLine(entry["target"])}`
    : shown;
}
