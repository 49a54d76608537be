import { FurrowError } from "../../../core/errors.ts";
import { seal } from "../../../core/secrets/secret.ts";
import { type KubeBasis, kubeName } from "../../../facts/controller/kube-object.ts";
import type { Cluster } from "../cluster.ts";
import { failureOf } from "../failures.ts";
import { fieldsIn, type FieldSet, plainFields } from "../field-set.ts";
import { entryOf, type LiveObject, othersOf, ownable } from "../live-object.ts";
import type { Sent } from "../view.ts";

/**
 * The basis of a decision about an object. Throws FurrowError E_DRIVER if the server sent no version: without one,
 * furrow could not notice that another run changes the object at the same moment.
 */
export function basisOf(
  { server }: Pick<Cluster, "server">,
  live: LiveObject,
  { object, fieldManager }: Sent,
): KubeBasis {
  const { uid, resourceVersion: version = "" } = live.metadata;
  if (version !== "" && version !== "0") return { uid, version, ours: oursIn(live, fieldManager) };
  const message = "the response does not contain the object's version (metadata.resourceVersion)";
  throw failureOf(`read ${kubeName(object)}`, server, { code: "no-version", message });
}

/** A hash of the fields that a manager owns, and of their values. */
export function oursIn(live: LiveObject, fieldManager: string): string {
  const entry = entryOf(live, fieldManager);
  const fields = entry === undefined ? [] : fieldsIn(entry.fieldsV1, live).map(({ name, value }) => [name, value]);
  return seal(Buffer.from(JSON.stringify(fields)));
}

/** The identity and version that an object must still have when the server changes it. */
export type Precondition = Pick<KubeBasis, "uid" | "version">;

/**
 * The identity and current version of an object to which a decision still applies: others may have changed the object,
 * but not the fields that the manager owns. Throws FurrowError E_REFUSED if the manager's own fields have changed, if
 * the object is being deleted, or if it was replaced by another one.
 */
export function stillDecided(
  cluster: Cluster,
  sent: Sent,
  live: LiveObject | undefined,
  basis: KubeBasis,
): Precondition {
  if (live?.metadata.uid !== basis.uid || live.metadata.deletionTimestamp !== undefined) {
    throw deleted(sent, nothingApplied);
  }
  const current = basisOf(cluster, live, sent);
  if (current.ours === basis.ours) return current;
  const takers = takersOf(live, sent);
  throw atOnce(sent, "changed", takers.length > 0 ? takers : "another run", nothingApplied);
}

const nothingApplied = "nothing is applied: the decision to change the object was based on an older version of it";

/**
 * The error for an object that other managers, or another run with the same manager, changed or created at the same
 * moment.
 */
export function atOnce(
  { object, fieldManager }: Sent,
  did: "changed" | "created",
  by: readonly string[] | "another run",
  current: string,
): FurrowError {
  const isRun = by === "another run";
  const others = isRun
    ? [`another run with the field manager ${fieldManager}`]
    : by.map((manager) => `the field manager ${manager}`);
  const advice = isRun ? "; if two playbooks apply it, give each its own fieldManager" : "";
  return new FurrowError("E_REFUSED", {
    what: `${kubeName(object)} was ${did} by ${[...new Set(others)].join(", ") || "someone else"} at the same moment`,
    current,
    hint: `Rerun to compare the object with this run's values${advice}`,
  });
}

/** The managers that own fields which this manager sends but does not own. */
function takersOf(live: LiveObject, { object, fieldManager }: Sent): readonly string[] {
  const namesIn = (fields: FieldSet): readonly string[] => fieldsIn(fields, live).map(({ name }) => name);
  const own = new Set(namesIn(entryOf(live, fieldManager)?.fieldsV1 ?? {}));
  const lost = new Set(fieldNames(object).filter((name) => !own.has(name)));
  const takers = othersOf(live, fieldManager).filter(({ fieldsV1 }) =>
    namesIn(fieldsV1).some((name) => lost.has(name)),
  );
  return takers.map(({ manager }) => manager);
}

function fieldNames(object: Sent["object"]): readonly string[] {
  return plainFields(ownable(object)).map(({ name }) => name);
}

/** The error for an object that someone deleted after it was read. */
export function deleted({ object }: Sent, current: string): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: `${kubeName(object)} was deleted by someone else at the same moment`,
    current,
    hint: "Find out who deletes it; rerun to create it again",
  });
}
