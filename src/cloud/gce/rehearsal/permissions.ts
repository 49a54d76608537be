import { isFurrowError } from "../../../core/errors.ts";
import { clientOf } from "../clients.ts";
import { ask } from "../ask.ts";
import { type Collection, collections, scopeOf } from "../collections.ts";
import { isRecord } from "../../../core/facts/symbols.ts";
import { conditionsOn } from "./conditions.ts";
import { askApi } from "./other-apis.ts";
import { metadataIn, type PlannedCall, recordsIn, resourceOf, wantsExternal } from "./planned-call.ts";
import { refused } from "./refused.ts";

/** The verb in a method's permission, if it differs from the method's own name. */
const verbs: Readonly<Record<string, string>> = {
  insert: "create",
  patch: "update",
};

/** The permissions that a call needs besides the one with its own name. */
const more: Readonly<Record<string, readonly string[]>> = {
  "firewall insert": ["compute.networks.updatePolicy"],
  "firewall update": ["compute.networks.updatePolicy"],
  "firewall delete": ["compute.networks.updatePolicy"],
  "instance attachDisk": ["compute.disks.use"],
};

/**
 * The permissions in the project that a call needs (https://cloud.google.com/compute/docs/access/iam, and the section
 * "IAM Permissions" of each method's page). Permissions in other projects, such as an image's project, are left out.
 */
export function permissionsFor(call: PlannedCall): string[] {
  const { on, method } = call;
  const own = `compute.${collections[on].path}.${verbs[method] ?? method}`;
  const parts = method === "insert" ? partsOf(call) : [];
  return [...new Set([own, ...(more[`${on} ${method}`] ?? []), ...parts])];
}

function partsOf(call: PlannedCall): readonly string[] {
  const resource = resourceOf(call);
  const isLabelled = Object.keys(isRecord(resource["labels"]) ? resource["labels"] : {}).length > 0;
  if (call.on === "disk") return isLabelled ? ["compute.disks.setLabels"] : [];
  if (call.on !== "instance") return [];
  const disks = recordsIn(resource["disks"]);
  const [nic = {}] = recordsIn(resource["networkInterfaces"]);
  const tags = isRecord(resource["tags"]) ? resource["tags"]["items"] : [];
  const isReserved = recordsIn(nic["accessConfigs"]).some(({ natIP }) => natIP !== undefined);
  const needed: readonly (readonly [is: boolean, permission: string])[] = [
    [disks.some(({ initializeParams }) => initializeParams !== undefined), "compute.disks.create"],
    [disks.some(({ source }) => source !== undefined), "compute.disks.use"],
    [true, "compute.subnetworks.use"],
    [wantsExternal(call), "compute.subnetworks.useExternalIp"],
    [isReserved, "compute.addresses.use"],
    [Object.keys(metadataIn(call)).length > 0, "compute.instances.setMetadata"],
    [Array.isArray(tags) && tags.length > 0, "compute.instances.setTags"],
    [isLabelled, "compute.instances.setLabels"],
    [recordsIn(resource["serviceAccounts"]).length > 0, "compute.instances.setServiceAccount"],
  ];
  return needed.flatMap(([is, permission]) => (is ? [permission] : []));
}

/**
 * Refuses a call whose permissions the credentials lack, in the project and on the resource itself
 * (https://cloud.google.com/resource-manager/reference/rest/v1/projects/testIamPermissions). If this cannot be
 * determined, or the permissions may be granted under a condition, returns the reason.
 */
export async function rehearsePermissions(call: PlannedCall, signal: AbortSignal): Promise<string | undefined> {
  const { project } = call.place;
  const permissions = permissionsFor(call);
  const path = `v1/projects/${project}:testIamPermissions`;
  const answer = await askApi({ api: "cloudresourcemanager", path, body: { permissions } }, signal);
  if (answer.is !== "found") return `permissions: ${answer.is === "missing" ? `no project ${project}` : answer.why}`;
  const lacking = without(permissions, answer.body["permissions"]);
  const left = lacking.length > 0 ? await lackingOnResource(call, lacking, signal) : [];
  const [missing] = left;
  if (missing === undefined) return undefined;
  const conditions = await conditionsOn(project, signal);
  if (conditions.is !== "none") {
    const under = "under a condition";
    const why =
      conditions.is === "some" ? `roles are granted ${under}: ${conditions.bindings.join(", ")}` : conditions.why;
    return `permissions: ${left.join(", ")} may be granted only ${under} (${why})`;
  }
  throw refused({
    code: "not-permitted",
    what: `the credentials in use do not permit ${missing}`,
    current: `no permission ${missing} in ${project}`,
    hint: `Ask an administrator of the project to allow ${missing}, or use other credentials`,
  });
}

/**
 * The permissions that are not granted on the existing resource either. Some resources do not have their own
 * permissions.
 */
async function lackingOnResource(
  { on, method, place }: PlannedCall,
  permissions: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const collection: Collection = collections[on];
  if (method === "insert" || clientOf(collection.client)["testIamPermissions"] === undefined) return permissions;
  const own = permissions.filter((permission) => permission.startsWith(`compute.${collection.path}.`));
  const request = {
    ...scopeOf(collection, place),
    resource: place.name,
    testPermissionsRequestResource: { permissions: own },
  };
  const what = `read the permissions on ${place.name}`;
  try {
    const answer = await ask({ client: collection.client, method: "testIamPermissions", request, what }, signal);
    return without(permissions, (answer as { readonly permissions?: unknown }).permissions);
  } catch (error) {
    // An earlier task of the plan may create the resource.
    if (isFurrowError(error) && error.code === "E_DRIVER") return permissions;
    throw error;
  }
}

function without(permissions: readonly string[], granted: unknown): readonly string[] {
  const known = Array.isArray(granted) ? (granted as readonly unknown[]) : [];
  return permissions.filter((permission) => !known.includes(permission));
}
