import { FurrowError } from "../../core/errors.ts";
import type { Absent } from "../../core/facts/symbols.ts";
import type { Ec2 } from "./client.ts";
import { idOf } from "./placeholder.ts";

/** A resource, as seen by the task that is about to change it. */
export interface Seen {
  /** `volume web-data`. */
  readonly name: string;
  /** The prefix of its id: `vol`. */
  readonly prefix: string;
  /** The id that the task saw; undefined if an earlier step of the same run creates the resource. */
  readonly seen: string | undefined;
}

/**
 * The id of a resource that is about to be changed or deleted. Throws FurrowError E_DRIVER if the name belongs to a
 * resource that the task did not see, or to one without furrow's tag: the resource may have been replaced since the
 * task looked at it. In a rehearsal, returns a placeholder for a missing resource.
 */
export function ownId(
  ec2: Pick<Ec2, "dry">,
  found: { readonly id: string; readonly ours: boolean } | Absent,
  { name, prefix, seen }: Seen,
): string {
  const id = seenId(ec2, found, { name, prefix, seen });
  if (typeof found === "symbol" || found.ours) return id;
  throw replaced(name, `${id}, which does not have the tag furrow`, seen ?? "a resource with the tag furrow");
}

/** Like {@link ownId}, for a resource that somebody else may have created. */
export function seenId(
  ec2: Pick<Ec2, "dry">,
  found: { readonly id: string } | Absent,
  { name, prefix, seen }: Seen,
): string {
  const id = idOf(ec2, found, { name, prefix, id: (thing) => thing.id });
  if (typeof found === "symbol" || seen === undefined || seen === id) return id;
  throw replaced(name, id, seen);
}

function replaced(name: string, current: string, expected: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `the ${name} is not the one that this task looked at`,
    current,
    expected,
    hint: "Rerun: something else changed the resource during this run",
  });
}
