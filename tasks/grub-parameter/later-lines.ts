import { isParameter, type Variable } from "./defaults.ts";
import type { LaterLine } from "./entries.ts";

/** A line of /etc/default/grub.d that makes the task's edit of /etc/default/grub futile. */
export interface Overruling extends LaterLine {
  /**
   * `replaces`: the line sets the task's variable and drops the variable's old value; `names`: the line sets the
   * parameter; `unclear`: only the shell can tell what the line sets.
   */
  readonly how: "replaces" | "names" | "unclear";
  readonly variable: Variable;
}

/**
 * The first line of /etc/default/grub.d that overrides, or may override, the task's setting of a parameter in
 * /etc/default/grub; undefined if no such line exists. Such a line may set either variable, because 10_linux puts both
 * into the normal entries.
 */
export function overruling(name: string, variable: Variable, lines: readonly LaterLine[]): Overruling | undefined {
  for (const { file, line } of lines)
    for (const { variable: own, isAdding, value } of settingsIn(line)) {
      const how = effect(name, value) ?? (own === variable && !isAdding ? "replaces" : undefined);
      if (how !== undefined) return { file, line, how, variable: own };
    }
  return undefined;
}

interface Setting {
  readonly variable: Variable;
  /** True if the variable keeps its old value. */
  readonly isAdding: boolean;
  /** The rest of the line, without a reference to the old value. */
  readonly value: string;
}

function settingsIn(line: string): readonly Setting[] {
  return [...line.matchAll(/(?<![\w$])(GRUB_CMDLINE_LINUX(?:_DEFAULT)?)(\+?)=/g)].map((match) => {
    const [whole, variable, operator] = match;
    const text = line.slice(match.index + whole.length);
    const value = text.startsWith("'")
      ? text
      : text.replaceAll(new RegExp(`\\$(?:${variable}\\b|\\{${variable}\\})`, "g"), "");
    return { variable: variable as Variable, isAdding: operator === "+" || value !== text, value };
  });
}

function effect(name: string, value: string): "names" | "unclear" | undefined {
  if (value.split(/[\s"';]+/).some((word) => isParameter(word, name))) return "names";
  const isOpen = (quote: string): boolean => value.split(quote).length % 2 === 0;
  return /[$`\\]/.test(value) || isOpen('"') || isOpen("'") ? "unclear" : undefined;
}
