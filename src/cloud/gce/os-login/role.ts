import { isFurrowError } from "../../../core/errors.ts";
import type { GceLoginRole, GcePlace } from "../../../facts/cloud/gce/index.ts";
import { ask } from "../ask.ts";
import { apiError, isAbsent } from "../errors.ts";
import { conditionsOn } from "../rehearsal/conditions.ts";
import { askApi } from "../rehearsal/other-apis.ts";

/** The permissions for a login with and without sudo (https://cloud.google.com/compute/docs/oslogin/set-up-oslogin). */
const permissions = { admin: "compute.instances.osAdminLogin", user: "compute.instances.osLogin" } as const;

/**
 * Finds out what the credentials' own account is allowed to do on an instance: queries the instance, which inherits
 * from the project, or the project if the instance does not exist.
 */
export async function ownRole(place: GcePlace, signal: AbortSignal): Promise<GceLoginRole> {
  const granted = (await grantedOn(place, signal)) ?? (await grantedIn(place.project, signal));
  if ("why" in granted) return { may: "unknown", why: granted.why };
  if (granted.names.includes(permissions.admin)) return { may: "admin", why: "" };
  const conditions = await conditionsOn(place.project, signal);
  if (conditions.is === "unknown") return { may: "unknown", why: conditions.why };
  if (conditions.is === "some") {
    return { may: "unknown", why: `roles are granted under a condition: ${conditions.bindings.join(", ")}` };
  }
  return { may: granted.names.includes(permissions.user) ? "user" : "nothing", why: "" };
}

type Granted = { readonly names: readonly string[] } | { readonly why: string };

/** Undefined if the instance does not exist. */
async function grantedOn(place: GcePlace, signal: AbortSignal): Promise<Granted | undefined> {
  const { project, zone, name } = place;
  const request = {
    project,
    zone,
    resource: name,
    testPermissionsRequestResource: { permissions: Object.values(permissions) },
  };
  const what = `read the permissions on ${name}`;
  const isGone = (error: unknown): boolean => isAbsent(apiError(error), `instances/${name}`);
  try {
    const answer = await ask({ client: "instances", method: "testIamPermissions", request, what }, signal, isGone);
    return { names: namesIn((answer as { permissions?: unknown }).permissions) };
  } catch (error) {
    signal.throwIfAborted();
    if (isGone(error)) return undefined;
    if (isFurrowError(error) && error.code === "E_DRIVER") return { why: error.failure.current ?? error.message };
    throw error;
  }
}

/** https://cloud.google.com/resource-manager/reference/rest/v1/projects/testIamPermissions */
async function grantedIn(project: string, signal: AbortSignal): Promise<Granted> {
  const path = `v1/projects/${project}:testIamPermissions`;
  const body = { permissions: Object.values(permissions) };
  const answer = await askApi({ api: "cloudresourcemanager", path, body }, signal);
  if (answer.is === "found") return { names: namesIn(answer.body["permissions"]) };
  return { why: answer.is === "missing" ? `no project ${project}` : answer.why };
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
