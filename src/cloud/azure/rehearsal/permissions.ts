import type { AzureAct, AzureKind } from "../../../facts/cloud/azure/index.ts";
import { type Api, listAll } from "../api.ts";
import { type AzureRefusal, isMissing } from "../errors.ts";
import { kinds, versions } from "../kinds.ts";
import { type Raw, textsOf } from "../raw.ts";

/** A kind's type as it appears in the names of Azure's permissions: `Microsoft.Compute/disks`. */
export function typeOf(kind: AzureKind): string {
  return kind === "group" ? "Microsoft.Resources/subscriptions/resourceGroups" : kinds[kind].type;
}

const write = (...of: readonly AzureKind[]): string[] => of.map((kind) => `${typeOf(kind)}/write`);
const use = (...of: readonly AzureKind[]): string[] => of.map((kind) => `${typeOf(kind)}/join/action`);
const subnet = "Microsoft.Network/virtualNetworks/subnets";

/**
 * The Azure permissions that a change needs in addition to those for reading
 * (https://learn.microsoft.com/azure/role-based-access-control/permissions/compute, …/networking,
 * …/management-and-governance).
 */
export function permissionsTo(act: AzureAct): readonly string[] {
  switch (act.act) {
    case "createGroup":
      return write("group");
    case "tag":
      return write(act.kind);
    case "putSecurityGroup":
      return write("securityGroup");
    case "createNetwork":
      return [...write("network"), ...use("securityGroup")];
    case "putSubnet":
      return [`${subnet}/write`, ...use("securityGroup")];
    case "createDisk":
    case "growDisk":
      return write("disk");
    case "createMachine":
      return [
        ...write("machine", "card", "disk"),
        ...use("card"),
        `${subnet}/join/action`,
        ...(act.publicAddress ? [...write("address"), ...use("address")] : []),
      ];
    case "setPublicAddress":
      return [...write("address", "card"), ...use("address"), `${subnet}/join/action`];
    case "attachDisks":
      return write("machine", "disk");
    case "keepDisks":
    case "resizeMachine":
      return write("machine");
    case "startMachine":
      return [`${typeOf("machine")}/start/action`];
    case "stopMachine":
      return [`${typeOf("machine")}/deallocate/action`];
    case "readHostKeys":
      return [`${typeOf("machine")}/retrieveBootDiagnosticsData/action`, ...write("machine")];
    case "awaitMachine":
      return [];
    case "delete": {
      const all: readonly AzureKind[] = act.kind === "machine" ? ["machine", "card", "address", "disk"] : [act.kind];
      // Before a machine is deleted, the resources to keep are marked, which needs write permissions.
      return [
        ...(act.kind === "machine" ? write("machine", "disk", "card") : []),
        ...all.map((kind) => `${typeOf(kind)}/delete`),
      ];
    }
  }
}

/**
 * The permissions that the login lacks in a resource group, or in the subscription if the group does not exist;
 * "unknown" if the login is not allowed to query its permissions. The result does not cover locks, policies and deny
 * assignments.
 */
export async function lackingPermissions(
  api: Api,
  group: string,
  actions: readonly string[],
): Promise<readonly string[] | "unknown"> {
  const below = "providers/Microsoft.Authorization/permissions";
  const paths = [`resourcegroups/${encodeURIComponent(group)}/${below}`, below];
  for (const path of paths) {
    try {
      const asked = { path, version: versions.permissions, what: "read the permissions of the login" };
      const granted = await listAll(api, asked, (error) => isMissing(error) || error.statusCode === 403);
      return actions.filter((action) => !granted.some((one) => allows(one, action)));
    } catch (error) {
      if ((error as AzureRefusal).statusCode === 403) return "unknown";
      if (!isMissing(error as AzureRefusal)) throw error;
    }
  }
  return "unknown";
}

function allows(granted: Raw, action: string): boolean {
  const matches = (pattern: string): boolean => {
    const parts = pattern.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    return new RegExp(`^${parts.join(".*")}$`, "i").test(action);
  };
  return textsOf(granted["actions"]).some(matches) && !textsOf(granted["notActions"]).some(matches);
}
