import { FurrowError } from "../../core/errors.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { GcePlace } from "../../facts/cloud/gce/index.ts";
import { sayThing, type Sort } from "./collections.ts";
import { getThing } from "./read.ts";
import { identityOf, instanceOf, textOf } from "./views.ts";

interface Wanted {
  readonly on: Sort;
  readonly method?: string | undefined;
  readonly seen?: { readonly description: string; readonly id?: string | undefined } | undefined;
}

/**
 * Rereads a resource that is about to be changed or deleted. Throws FurrowError E_DRIVER if it is not the one that the
 * task looked at, or if a data disk that the task did not see would be deleted with it. Accepts a resource that is
 * gone: the call itself handles that.
 */
export async function assertSeen({ on, method, seen }: Wanted, place: GcePlace, signal: AbortSignal): Promise<void> {
  if (seen === undefined) return;
  const raw: object | typeof absent = await getThing(on, place, false, signal);
  if (raw === absent) return;
  const { id } = identityOf(raw);
  const description = textOf((raw as { readonly description?: unknown }).description);
  if (description !== seen.description || (seen.id !== undefined && id !== seen.id)) {
    throw new FurrowError("E_DRIVER", {
      what: `${sayThing(on, place)} is not the one that this task looked at`,
      current: said({ description, id }),
      expected: said(seen),
      hint,
    });
  }
  if (on === "instance" && method === "delete") assertDisksKept(raw, place);
}

const hint = "Rerun: something else changed the resource during this run";

function said({ description, id }: NonNullable<Wanted["seen"]>): string {
  return `${id === undefined ? "" : `id ${id}, `}description "${description}"`;
}

/**
 * Refuses to delete data disks with their instance: earlier steps of the task have kept all those that the task saw.
 */
function assertDisksKept(raw: object, place: GcePlace): void {
  const lost = Object.values(instanceOf(raw, []).disks).filter(({ boot, autoDelete }) => !boot && autoDelete);
  if (lost.length === 0) return;
  throw new FurrowError("E_DRIVER", {
    what: `${sayThing("instance", place)} has disks that this task did not see, which would be deleted with it`,
    current: lost.map(({ disk }) => disk).join(", "),
    expected: "only the boot disk",
    hint,
  });
}
