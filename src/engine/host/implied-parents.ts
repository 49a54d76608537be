import type { HostFact } from "../../core/facts/fact.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";

/**
 * The facts about things that were known to be absent but must now be present, because something was found or predicted
 * inside them and a step must therefore have created them. Example: `/srv/app/conf` was found, so `/srv/app` exists.
 * `valueOf` returns the known value of a fact.
 */
export function impliedParents(
  { kind, key }: HostFact<unknown>,
  value: unknown,
  valueOf: (fact: HostFact<unknown>) => unknown,
): HostFact<unknown>[] {
  if (!isRecord(value)) return [];
  const missing: HostFact<unknown>[] = [];
  for (let parent = kindOf(kind).parent?.(key); parent; parent = kindOf(parent.kind).parent?.(parent.key)) {
    if (valueOf(parent) !== absent) break;
    missing.push(parent);
  }
  return missing;
}
