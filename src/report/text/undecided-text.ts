import type { RunEvent } from "../../core/events.ts";
import { safeLine } from "./value.ts";
import { cutTo } from "./width.ts";
import { factName } from "./words.ts";

type DependsOn = NonNullable<Extract<RunEvent, { type: "taskFinished" }>["dependsOn"]>;

/**
 * A cause that an undecided task depends on, other than an earlier task; `one` is the wording for one task, `several`
 * for more.
 */
const own: Readonly<Record<string, { readonly one: string; readonly several: string }>> = {
  itself: { one: "known only during a run", several: "known only during a run" },
  "its own condition": { one: "depends on its own condition", several: "depend on their own conditions" },
  "an earlier task's output": {
    one: "depends on an earlier task's output",
    several: "depend on outputs of earlier tasks",
  },
};

/** Formats the line below an undecided task: `undecided: depends on package nginx (unit:nginx.service)`. */
export function undecidedText({ task, facts }: DependsOn): string {
  if (task === "itself" && facts.length > 0 && facts.every((fact) => fact.startsWith("userCommand:"))) {
    return "undecided: depends on its own `unless`; check mode runs it only if it is marked `readOnly`";
  }
  const names = facts.map((fact) => safeLine(factName(fact))).join(", ");
  const why = own[task]?.one ?? `depends on ${safeLine(task)}`;
  const later = task !== "itself" && own[task] !== undefined ? ", which is known only during a run" : "";
  return `undecided: ${why}${names === "" ? "" : ` (${names})`}${later}`;
}

/**
 * Lists in parentheses what a run's undecided tasks depend on, most frequent first. Separates the entries with
 * semicolons, because titles may contain commas.
 */
export function listDependencies(titles: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const title of titles) counts.set(title, (counts.get(title) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  const named = sorted.slice(0, sorted.length > 3 ? 2 : 3);
  const parts = named.map(([title, times]) => `${sorted.length === 1 ? "" : `${times} `}${dependency(title, times)}`);
  const rest = titles.length - named.reduce((sum, [, times]) => sum + times, 0);
  if (rest > 0) parts.push(`${rest} ${rest > 1 ? "depend" : "depends"} on others`);
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

function dependency(title: string, times: number): string {
  const known = own[title];
  if (known !== undefined) return times > 1 ? known.several : known.one;
  return `${times > 1 ? "depend" : "depends"} on ${cutTo(safeLine(title), 60)}`;
}
