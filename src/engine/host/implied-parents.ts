import type { HostFact } from "../../core/fact.ts";
import { kindOf } from "../../core/kind.ts";
import { absent, isRecord } from "../../core/symbols.ts";

/**
 * What is known to be absent, and yet must be there, because a thing was found or is foreseen in it: a step has made it, too.
 * `valueOf` gives what is known of a fact.
 */
export function missingAround(
  { kind, key }: HostFact<unknown>,
  value: unknown,
  valueOf: (fact: HostFact<unknown>) => unknown,
): HostFact<unknown>[] {
  if (!isRecord(value)) return [];
  const missing: HostFact<unknown>[] = [];
  for (let outer = kindOf(kind).around?.(key); outer; outer = kindOf(outer.kind).around?.(outer.key)) {
    if (valueOf(outer) !== absent) break;
    missing.push(outer);
  }
  return missing;
}
