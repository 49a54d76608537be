import type { FactChange, Mode } from "../../core/events.ts";
import type { Difference } from "../../core/facts/compare.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";

/** The fields in which furrow records, for later runs, what a unit was started with. */
const notes = /^(?:startedWith|reloadedWith|startedBefore)$/;

/**
 * Removes from changes everything that only furrow needs: conditions, notes about units, and values that were not read.
 */
export function forPeople(changes: readonly FactChange[], mode: Mode): readonly FactChange[] {
  return changes.flatMap((change) => {
    // The exit code of an `unless` command is a condition; the steps do not change it.
    if (change.fact.startsWith("userCommand:")) return [];
    const isUnit = change.fact.startsWith("unit:");
    const isObject = change.fact.startsWith('kubernetes:{"of":');
    const isPath = change.fact.startsWith('kubernetes:{"kubeconfig":');
    const differences = change.differences
      .map((difference) => (isObject ? ofObject(difference) : isPath ? ofAnswer(difference) : difference))
      .flatMap((difference) => (isUnit ? withoutNotes(difference) : [difference]))
      .flatMap((difference) => (mode === "apply" ? withoutUnread(difference) : [difference]));
    return differences.length === 0 ? [] : [{ ...change, differences }];
  });
}

/** Names the fields of a Kubernetes object as Kubernetes does: `data.color`, `owner of data.color`. */
function ofObject(difference: Difference): Difference {
  const path = difference.path.replace(/^(?:fields|sent)\./, "").replace(/^(owner|order)\./, "$1 of ");
  return { ...difference, path };
}

/** Names the fields of an object in an API's answer as Kubernetes does. */
function ofAnswer(difference: Difference): Difference {
  return { ...difference, path: difference.path.replace(/^object\./, "") };
}

/**
 * Removes notes about units, but keeps changes to the facts that a unit must be started with: they explain its restart.
 */
function withoutNotes({ path, from, to }: Difference): Difference[] {
  const part = (value: unknown): unknown => (isRecord(value) ? without(value, (key) => notes.test(key)) : value);
  if (path === "") return [{ path, from: part(from), to: part(to) }];
  if (path.startsWith("startedBefore")) return [];
  if (!notes.test(path)) return [{ path, from, to }];
  const old = isRecord(from) ? from : {};
  return Object.entries(isRecord(to) ? to : {}).map(([key, now]) => ({
    path: `${path}.${key}`,
    from: old[key] ?? absent,
    to: now,
  }));
}

/** After a run, a value means nothing to a reader if it was unknown in check mode and has not been read since. */
function withoutUnread({ path, from, to }: Difference): Difference[] {
  if (isUnread(to)) return [];
  return [{ path, from, to: isRecord(to) ? without(to, (_key, value) => isUnread(value)) : to }];
}

function isUnread(value: unknown): boolean {
  return typeof value === "symbol" && value !== absent;
}

function without(
  value: Readonly<Record<string, unknown>>,
  isLeftOut: (key: string, value: unknown) => boolean,
): unknown {
  return Object.fromEntries(Object.entries(value).filter(([key, part]) => !isLeftOut(key, part)));
}
