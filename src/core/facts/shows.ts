import type { FactPattern } from "./fact.ts";
import { isKind, type Kind, kindOf } from "./kind.ts";

/**
 * Returns the ids of the facts that contain what the pattern matches, such as the tree that contains a file. An author
 * therefore needs to declare only the file, not the facts that contain it.
 */
export function shows(pattern: FactPattern, how: "shownIn" | "mayShowIn"): readonly FactPattern[] {
  const [name = "", ...key] = pattern.split(":");
  const kind: Kind | undefined = key.length === 0 || !isKind(name) ? undefined : kindOf(name);
  return kind?.[how]?.(key.join(":")) ?? [];
}
