import type { FactPattern } from "./fact.ts";
import { isKind, type Kind, kindOf } from "./kind.ts";

/**
 * Ids of the facts that show the things a pattern names, so that an author who declares a file need not know about
 * trees.
 */
export function shows(pattern: FactPattern, how: "shownIn" | "mayShowIn"): readonly FactPattern[] {
  const [name = "", ...key] = pattern.split(":");
  const kind: Kind | undefined = key.length === 0 || !isKind(name) ? undefined : kindOf(name);
  return kind?.[how]?.(key.join(":")) ?? [];
}
