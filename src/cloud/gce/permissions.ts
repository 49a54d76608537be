import type { Permission } from "../../core/host/driver.ts";
import { type Collection, collections, type Sort } from "./collections.ts";
import { accountsIn, keysIn, ownerOf } from "./rehearsal/parts.ts";
import { permissionsFor } from "./rehearsal/permissions.ts";
import type { PlannedCall } from "./rehearsal/planned-call.ts";

/** The permissions that a query needs in the project of the resource. */
export function permissionsToRead(
  get: Sort | "machineTypes" | "instancesNamed" | "partsOf" | "ranges" | "effectiveFirewalls" | "nats",
  family: boolean,
): readonly string[] {
  if (get === "effectiveFirewalls") return ["compute.networks.get", "compute.networks.getEffectiveFirewalls"];
  if (get === "nats") return ["compute.routers.list"];
  if (get === "machineTypes") return ["compute.machineTypes.list"];
  if (get === "instancesNamed") return ["compute.instances.list"];
  if (get === "partsOf") return ["compute.disks.list", "compute.addresses.list"];
  if (get === "ranges") return ["compute.subnetworks.list"];
  const own = `compute.${collections[get].path}.${family ? "getFromFamily" : "get"}`;
  return get === "instance" ? [own, "compute.instances.getGuestAttributes"] : [own];
}

/**
 * The permissions that a change needs: those for the call itself, which a rehearsal also checks, and those for waiting
 * until its operation has finished and the resource has the desired state.
 */
export function permissionsToChange(on: Sort, project: string, call: PlannedCall | undefined): readonly Permission[] {
  const { scope }: Collection = collections[on];
  const operations = call === undefined ? [] : [`compute.${scope}Operations.list`, `compute.${scope}Operations.get`];
  const names = [
    ...(call === undefined ? [] : permissionsFor(call)),
    ...operations,
    ...permissionsToRead(on, false),
    ...(on === "subnetwork" ? ["compute.subnetworks.list"] : []),
  ];
  return [...names.map((name) => ({ name, project })), ...(call === undefined ? [] : permissionsOnParts(call))];
}

/**
 * The permissions on service accounts and keys. Compute Engine itself encrypts with a key; the credentials only need to
 * read the key (https://cloud.google.com/compute/docs/disks/customer-managed-encryption).
 */
function permissionsOnParts(call: PlannedCall): readonly Permission[] {
  const accounts = accountsIn(call).map((email) => {
    const project = ownerOf(email, call.place.project);
    return { name: "iam.serviceAccounts.actAs", project, on: `projects/${project}/serviceAccounts/${email}` };
  });
  const keys = keysIn(call).map((key) => ({
    name: "cloudkms.cryptoKeys.get",
    project: key.split("/")[1] ?? "",
    on: key,
  }));
  return [...accounts, ...keys];
}
