import type { RunEvent } from "../../core/events.ts";
import { safeLine } from "./value.ts";
import { cutTo } from "./width.ts";
import { factName } from "./words.ts";

type DependsOn = NonNullable<Extract<RunEvent, { type: "taskFinished" }>["dependsOn"]>;

/** Names what an undecided task depends on: `package nginx`, `the output of read conf`. */
export function deciderOf({ task, facts }: DependsOn): string {
  if (isOutput(facts)) return `the output of ${task}`;
  return isCondition(facts) ? `${ownCondition} about ${task}` : task;
}

const ownCondition = "its own condition";

function isOutput(facts: readonly string[]): boolean {
  return facts.length === 1 && facts[0] === "output";
}

function isCondition(facts: readonly string[]): boolean {
  return facts.length === 1 && facts[0] === "condition";
}

/** Formats the line below an undecided task: `undecided: depends on package nginx (unit:nginx.service)`. */
export function undecidedText(on: DependsOn): string {
  const { task, facts } = on;
  if (isOutput(facts) || isCondition(facts)) {
    return `undecided: depends on ${safeLine(deciderOf(on))}, which is known only during a run`;
  }
  if (facts.length > 0 && facts.every((fact) => fact.startsWith("userCommand:"))) {
    return task === "itself"
      ? "undecided: depends on its own `unless`; check mode runs it only if it is marked `readOnly`"
      : `undecided: depends on what its own \`unless\` finds after ${safeLine(task)}; if that task does not affect it, say so with \`reads\` here or \`disturbs\` there`;
  }
  const names = facts.map((fact) => safeLine(factName(fact))).join(", ");
  const why = task === "itself" ? onlyInRun : `depends on ${safeLine(task)}`;
  return `undecided: ${why}${names === "" ? "" : ` (${names})`}`;
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

function dependency(decider: string, times: number): string {
  if (decider === "itself") return onlyInRun;
  if (times === 1) return `depends on ${cutTo(safeLine(decider), 60)}`;
  const all = decider.startsWith(`${ownCondition} `) ? decider.replace(ownCondition, "their own conditions") : decider;
  return `depend on ${cutTo(safeLine(all), 60)}`;
}

const onlyInRun = "known only during a run";
