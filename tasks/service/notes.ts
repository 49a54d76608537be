import type { ProcessNotes, UnitState } from "../../src/authoring.ts";

/** Returns the notes that decide whether a unit must be restarted. */
export function startNotes(found: UnitState): ProcessNotes {
  return {
    seen: found.startedWith,
    earlier: found.startedBefore,
    // This is a getter, so the value is read only if nothing better is known: in a prediction it may be unknown.
    get since() {
      return found.since;
    },
  };
}

/** Returns the notes that decide whether a unit must be reloaded. */
export function reloadNotes(found: UnitState): ProcessNotes {
  return {
    seen: found.reloadedWith,
    earlier: found.startedBefore,
    get since() {
      return found.since;
    },
    get noted() {
      return found.noted;
    },
  };
}
