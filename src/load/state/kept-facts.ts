import type { HostFacts } from "../../core/authoring/playbook.ts";
import { isRecord } from "../../core/facts/symbols.ts";
import { kept } from "./kept.ts";

/** A host, identified by its name in the inventory and its address. */
interface Named {
  readonly name: string;
  readonly address: string;
}

let facts: Map<string, HostFacts> | undefined;

/** The facts of each host from the last time a play read them. */
export const keptFacts = {
  /** Returns a host's facts; undefined if none are stored. */
  get: (host: Named): HostFacts | undefined => all().get(keyOf(host)),
  set: (host: Named, value: HostFacts): void => void all().set(keyOf(host), value),
};

function all(): Map<string, HostFacts> {
  facts ??= kept("facts.json", isHostFacts);
  return facts;
}

function keyOf({ name, address }: Named): string {
  return `${name} ${address}`;
}

/** Checks the shape, because a file written by another version may lack facts that plays use. */
function isHostFacts(value: unknown): value is HostFacts {
  if (!isRecord(value)) return false;
  const { hostname, os, architecture, kernel, processors, memoryBytes, kvm, addresses } = value;
  const isOs = isRecord(os) && typeof os["id"] === "string" && Array.isArray(os["like"]);
  const isText = [hostname, architecture, kernel].every((part) => typeof part === "string");
  const isNumber = [processors, memoryBytes].every((part) => typeof part === "number");
  return isOs && isText && isNumber && typeof kvm === "boolean" && isRecord(addresses);
}
