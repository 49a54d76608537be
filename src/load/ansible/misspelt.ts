import { misspelling } from "../../core/closest.ts";
import type { SaidVars } from "./graph.ts";

/** Ansible's own variables whose names look like misspelled connection variables. */
const others: ReadonlySet<string> = new Set(["ansible_scp_extra_args"]);

/**
 * Returns a notice for each variable whose name is almost that of a connection variable: furrow, like Ansible, treats
 * it as a plain var. `known` lists the names of the connection variables. Other `ansible_*` variables are the user's
 * own.
 */
export function misspeltNotices(hosts: Iterable<SaidVars>, known: readonly string[]): string[] {
  const notices = new Set<string>();
  const near = new Map<string, string | undefined>();
  for (const vars of hosts) {
    for (const [name, { file }] of vars) {
      if (!name.startsWith("ansible_")) continue;
      if (!near.has(name)) near.set(name, meant(name, known));
      const correct = near.get(name);
      if (correct !== undefined)
        notices.add(`${file}: ${name} is not a connection variable, only a plain var; did you mean ${correct}?`);
    }
  }
  return [...notices].toSorted();
}

function meant(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name) || others.has(name)) return undefined;
  return misspelling(name, known, name.length - "ansible_".length);
}
