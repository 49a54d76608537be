import { type Absent, absent } from "../../core/facts/symbols.ts";
import { pause } from "../wait.ts";
import type { Api } from "./api.ts";
import { isStale } from "./change.ts";
import { failureOf } from "./errors.ts";
import { objectOf, propertiesOf, type Raw, textOf, withTags } from "./raw.ts";

/**
 * A PUT also replaces everything that others have set in a resource. So furrow reads the whole resource, changes
 * a few properties, and puts it back.
 */

/** How many times a change is restarted because somebody else changed the resource first. */
const attempts = 5;

/** Properties that Azure returns but sets itself, in all kinds of resources that are put back. */
const decided = new Set([
  "provisioningState",
  "resourceGuid",
  "etag",
  // Properties that only subnets have.
  "ipConfigurations",
  "ipConfigurationProfiles",
  "privateEndpoints",
  "resourceNavigationLinks",
  "serviceAssociationLinks",
  "purpose",
  // Properties that only networks have.
  "flowLogs",
  "defaultPublicNatGateway",
  "remoteVirtualNetworkEncryption",
  // Properties that only disks have. The speed can be set only for disk types that furrow does not create.
  "timeCreated",
  "diskState",
  "diskSizeBytes",
  "uniqueId",
  "sourceUniqueId",
  "propertyUpdatesInProgress",
  "shareInfo",
  "LastOwnershipUpdateTime",
  "diskIOPSReadWrite",
  "diskMBpsReadWrite",
  "diskIOPSReadOnly",
  "diskMBpsReadOnly",
]);

/** A value from the API, without the properties that Azure sets itself. */
function settable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settable);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !decided.has(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, settable(one)]));
}

/** The properties of a resource that can be put back. */
export function settableOf(now: Raw | Absent): Raw {
  return now === absent ? {} : objectOf(settable(propertiesOf(now)));
}

/**
 * The body of the PUT that updates a resource: its current state with other properties and added tags. For a resource
 * that does not exist yet, only the new values.
 */
export function bodyOf(
  now: Raw | Absent,
  own: { readonly location: string; readonly tags: Readonly<Record<string, string>>; readonly properties: object },
): Raw {
  if (now === absent) return { ...own };
  const { extendedLocation, zones, sku } = now;
  const name = textOf(objectOf(sku)["name"]);
  return {
    location: own.location,
    tags: withTags(now["tags"], own.tags),
    ...(extendedLocation !== undefined && { extendedLocation }),
    ...(zones !== undefined && { zones }),
    ...(name !== "" && { sku: { name } }),
    properties: own.properties,
  };
}

/** The version of a resource; undefined if it does not exist, or if the API has none for its kind. */
export function versionOf(now: Raw | Absent): string | undefined {
  return now === absent ? undefined : textOf(now["etag"]) || undefined;
}

/** Reads and changes a resource, and retries both if the resource has changed in between. Throws FurrowError. */
export async function reading(api: Api, what: string, once: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once();
    } catch (error) {
      if (!isStale(error as { statusCode: number })) throw error;
      if (attempt === attempts) throw failureOf(what, error);
      await pause(200 * attempt, api.signal);
    }
  }
}
