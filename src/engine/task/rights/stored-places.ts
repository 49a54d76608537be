import type { Bound } from "../../../core/authoring/evaluate.ts";
import type { ErrorCode } from "../../../core/errors.ts";
import { type Fact, isControllerFact } from "../../../core/facts/fact.ts";
import { isRecord } from "../../../core/facts/symbols.ts";

/** The place that programs write to when they change facts of a kind, for kinds whose keys are not paths. */
interface StoredPlace {
  /** A path whose directory these programs write to. */
  readonly path: string;
  /** The error that a run reports if that directory is on a read-only file system. */
  readonly code: ErrorCode;
}

/**
 * The places, by kind. If a path ends with a slash, the fact's key is appended to it. `useradd` and `groupadd` only
 * report that they cannot lock a file, so a run cannot tell why they fail.
 */
const places: Readonly<Record<string, StoredPlace>> = {
  group: { path: "/etc/group", code: "E_STEP" },
  package: { path: "/usr/share", code: "E_READ_ONLY" },
  sysctl: { path: "/proc/sys/", code: "E_READ_ONLY" },
  unit: { path: "/etc/systemd/system", code: "E_READ_ONLY" },
  user: { path: "/etc/passwd", code: "E_STEP" },
};

/** The path whose directory must be writable before facts of this kind can change; undefined for other kinds. */
export function storedPlace(fact: Fact): StoredPlace | undefined {
  const place = isControllerFact(fact) ? undefined : places[fact.kind];
  return place?.path.endsWith("/") === true && !isControllerFact(fact)
    ? { ...place, path: place.path + fact.key }
    : place;
}

/**
 * The place that one change writes to; undefined if the change writes to no such place. A package that is only marked
 * is not unpacked, and a unit that is only started or stopped keeps its links.
 */
export function placeOfChange({ fact, now, wanted, match }: Bound): StoredPlace | undefined {
  const place = storedPlace(fact);
  if (place === undefined || isControllerFact(fact) || match !== "differs" || wanted === undefined) return undefined;
  if (fact.kind !== "package" && fact.kind !== "unit") return place;
  if (!isRecord(wanted) || !isRecord(now)) return undefined;
  const differs = (part: string): boolean => wanted[part] !== undefined && wanted[part] !== now[part];
  if (fact.kind === "package") return differs("present") || differs("version") ? place : undefined;
  // A mask may be in /run, so its removal does not necessarily write to this place.
  return differs("enabled") || (wanted["masked"] === true && differs("masked")) ? place : undefined;
}
