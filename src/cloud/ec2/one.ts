import { FurrowError } from "../../core/errors.ts";
import { absent, type Absent } from "../../core/facts/symbols.ts";

/** Returns the only resource that a search by name has found. Throws FurrowError E_DRIVER if there are several. */
export function onlyOne<T>(found: readonly T[], what: string, idOf: (thing: T) => string): T | Absent {
  const [first, ...others] = found;
  if (first === undefined) return absent;
  if (others.length === 0) return first;
  throw new FurrowError("E_DRIVER", {
    what: `EC2 has ${found.length} resources called ${what}, but furrow identifies them by name`,
    current: found.map(idOf).join(", "),
    hint: "Rename or remove all but one",
  });
}

/** The cause of an error about a resource that does not exist. */
export class MissingThing extends Error {}

/** Returns a resource that must exist by now. Throws FurrowError E_DRIVER if it is absent. */
export function there<T>(found: T | Absent, what: string): T {
  if (found !== absent) return found;
  throw new FurrowError("E_DRIVER", {
    what: `there is no ${what}`,
    hint: "Rerun: earlier tasks create it",
    cause: new MissingThing(),
  });
}
