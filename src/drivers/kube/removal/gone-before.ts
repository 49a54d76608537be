import type { Contained } from "./listing.ts";

/** The identity of an object in a cluster, as `kubeIdentity` returns it. */
export interface Identity {
  readonly namespace?: string | undefined;
  readonly kind: string;
  readonly name: string;
}

/**
 * The uids of the objects that are deleted first, and of those that the cluster then deletes as their dependents. If
 * `besides` is "deleted", some of the former may already be gone.
 */
export function goneBefore(found: readonly Contained[], besides: readonly Identity[] | "deleted"): ReadonlySet<string> {
  const identities = besides === "deleted" ? [] : besides;
  const names = new Set(identities.map(({ namespace, kind, name }) => JSON.stringify([namespace, kind, name])));
  const gone = new Set(found.filter(({ identity }) => names.has(identity)).map(({ uid }) => uid));
  const there = new Set(found.map(({ uid }) => uid));
  const isGone = ({ uid }: { readonly uid: string }): boolean =>
    gone.has(uid) || (besides === "deleted" && !there.has(uid));
  const isOrphan = ({ uid, owners }: Contained): boolean => !gone.has(uid) && owners.length > 0 && owners.every(isGone);
  for (let next = found.filter(isOrphan); next.length > 0; next = found.filter(isOrphan)) {
    for (const { uid } of next) gone.add(uid);
  }
  return gone;
}
