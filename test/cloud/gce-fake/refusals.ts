import type { Call } from "./call.ts";
import type { CloudSettings } from "./settings.ts";
import { ApiFailure } from "./state.ts";

const verbs: Readonly<Record<string, string>> = { POST: "create", DELETE: "delete", PATCH: "update", PUT: "update" };

/** Refuses a change that the credentials permit neither in the project nor on the resource itself. */
export function refuseDenied({ denied, granted }: CloudSettings, call: Call, collection: string, path: string): void {
  const verb = verbs[call.method];
  if (verb === undefined) return;
  const [, name = "", method] = new RegExp(`/${collection}/([^/]+)(?:/([^/]+))?$`).exec(call.path) ?? [];
  const permission = `compute.${collection}.${method ?? verb}`;
  if (!denied.has(permission) || granted.has(`${permission} on ${name}`)) return;
  throw new ApiFailure(403, "forbidden", `Required '${permission}' permission for '${path}'`);
}

/**
 * https://cloud.google.com/iam/docs/reference/rest/v1/TopLevel/testIamPermissions: a resource inherits what the project
 * grants.
 */
export function isGranted({ denied, granted }: CloudSettings, permission: string, name: string): boolean {
  return !denied.has(permission) || granted.has(`${permission} on ${name}`);
}

/**
 * https://cloud.google.com/compute/docs/access/managing-org-policies: an insert that violates a policy is refused with
 * status 412.
 */
export function refuseByPolicy({ policies }: CloudSettings, call: Call, path: string): void {
  if (call.method !== "POST" || !call.path.endsWith("/instances")) return;
  const { networkInterfaces = [], advancedMachineFeatures = {} } = call.body as {
    networkInterfaces?: { accessConfigs?: object[] }[];
    advancedMachineFeatures?: { enableNestedVirtualization?: boolean };
  };
  const violated = (name: string): never => {
    throw new ApiFailure(412, "conditionNotMet", `Constraint constraints/${name} violated for project 1. ${path}`);
  };
  const has = (name: string, rule: string): boolean => JSON.stringify(policies[name] ?? []).includes(`"${rule}":true`);
  const { metadata = {} } = call.body as { metadata?: { items?: { key: string; value: string }[] } };
  // https://cloud.google.com/compute/docs/oslogin/manage-oslogin-in-an-org
  const isOff = (metadata.items ?? []).some(({ key, value }) => key === "enable-oslogin" && /^false$/i.test(value));
  if (isOff && has("compute.requireOsLogin", "enforce")) violated("compute.requireOsLogin");
  const isExternal = networkInterfaces.some(({ accessConfigs = [] }) => accessConfigs.length > 0);
  if (isExternal && has("compute.vmExternalIpAccess", "denyAll")) violated("compute.vmExternalIpAccess");
  if (
    advancedMachineFeatures.enableNestedVirtualization === true &&
    has("compute.disableNestedVirtualization", "enforce")
  ) {
    violated("compute.disableNestedVirtualization");
  }
}
