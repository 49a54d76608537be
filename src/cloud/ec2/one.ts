import { FurrowError } from "../../core/errors.ts";
import { absent, type Absent } from "../../core/symbols.ts";

/** The only thing of a name; throws FurrowError E_DRIVER where there are several. */
export function onlyOne<T>(found: readonly T[], what: string, idOf: (thing: T) => string): T | Absent {
  const [first, ...others] = found;
  if (first === undefined) return absent;
  if (others.length === 0) return first;
  throw new FurrowError("E_DRIVER", {
    what: `${found.length} of EC2 are called ${what}, and furrow knows things by their names`,
    current: found.map(idOf).join(", "),
    hint: "Rename or remove those that are not meant",
  });
}

/** A thing that must be there by now. Throws FurrowError E_DRIVER. */
export function there<T>(found: T | Absent, what: string): T {
  if (found !== absent) return found;
  throw new FurrowError("E_DRIVER", { what: `there is no ${what}`, hint: "Run it again: the tasks before make it" });
}
