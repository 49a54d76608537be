import type { ProcessNotes, UnitState } from "../../src/authoring.ts";

/** Returns the notes that decide whether a unit must be restarted. */
export function startNotes(found: UnitState): ProcessNotes {
  return {
    seen: found.startedWith,
    earlier: found.startedBefore,
    // This is a getter, because in a prediction `since` may be unknown: it is read only if `seen` does not decide.
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
