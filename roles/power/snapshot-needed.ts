import { absent } from "../../src/authoring.ts";
import { fileText, isActiveState } from "../../src/facts/catalogue.ts";
import { isOfPlaybook, reasonsIn } from "../maintenance/marker.ts";

/** A node's virtual machine as the host sees it. */
export type Domain = typeof absent | { readonly state: string };

/** True if a node is on, or is shutting down. */
export function isOn(domain: Domain | undefined): boolean {
  return domain !== undefined && domain !== absent && isActiveState(domain.state);
}

/** True if a shutdown has put the host under maintenance, which it does only after taking its snapshot. */
export function hasBegun(marker: unknown): boolean {
  const text = fileText(marker);
  return text !== undefined && reasonsIn(text).some((one) => isOfPlaybook(one) && one.node === undefined);
}

/** Says why a shutdown no longer takes a snapshot; undefined if it can still take one. */
export function tooLate(domains: readonly Domain[], marker: unknown): string | undefined {
  if (!domains.some(isOn)) return "all nodes are off, so no etcd snapshot is taken";
  if (!hasBegun(marker) || domains.every(isOn)) return undefined;
  return "a shutdown has begun without an etcd snapshot, and none is taken now, because nodes are off";
}
