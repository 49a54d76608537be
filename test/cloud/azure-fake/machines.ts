import type { z } from "zod";
import type { FakeSize } from "./offers.ts";
import { conflict, invalid, Refusal } from "./refusal.ts";
import type { machine, machineUpdate } from "./schemas.ts";
import { groupOf, type Thing, type World } from "./world.ts";

type Body = z.output<typeof machine>;
type Update = z.output<typeof machineUpdate>;
type DataDisks = Body["properties"]["storageProfile"]["dataDisks"];

/** Refuses a machine that Azure would not create. */
export function checkMachine(world: World, id: string, body: Body): void {
  const { properties, location, zones } = body;
  const { hardwareProfile, storageProfile, networkProfile, securityProfile } = properties;
  const size = checkSize(world, id, hardwareProfile.vmSize, location, zones?.[0]);
  assertUnchanged(world.things.get(id.toLowerCase()), properties);
  const { publisher, offer, sku, version } = storageProfile.imageReference;
  const image = world.offers.images[world.offers.imageNamed(publisher, offer, sku, version) ?? ""];
  if (image === undefined) {
    throw new Refusal(404, "PlatformImageNotFound", `The platform image '${publisher}:${offer}' is not available.`);
  }
  if (image.plan)
    throw invalid("VMMarketplaceInvalidInput", "Creating a machine from this image requires Plan information.");
  if (!(size.generations ?? "V1,V2").includes(image.generation)) {
    throw invalid(
      "BadRequest",
      `The selected VM size cannot boot Hypervisor Generation '${image.generation.slice(1)}'.`,
    );
  }
  if (image.architecture !== (size.architecture ?? "x64")) {
    throw invalid("InvalidParameter", "The image's architecture does not fit the size.");
  }
  const feature = world.offers.features["UseStandardSecurityType"];
  if (securityProfile.securityType === "Standard" && feature !== "Registered") {
    throw invalid("BadRequest", "Use of Standard securityType requires the feature UseStandardSecurityType.");
  }
  assertPremium(size, storageProfile.osDisk.managedDisk.storageAccountType);
  const diskId = `${id.slice(0, id.toLowerCase().indexOf("/providers/"))}/providers/Microsoft.Compute/disks/${storageProfile.osDisk.name}`;
  const taken = world.things.get(diskId.toLowerCase());
  if (taken !== undefined && taken.managedBy?.toLowerCase() !== id.toLowerCase()) {
    throw conflict("ConflictingUserInput", `Disk ${taken.name} already exists. Only CreateOption.Attach is supported.`);
  }
  checkDisks(world, id, storageProfile.dataDisks, size, zones?.[0]);
  const [card] = networkProfile.networkInterfaces;
  const nic = world.at(card?.id ?? "", () => invalid("InvalidResourceReference", "no such interface"));
  assertMade(nic);
  const { properties: own } = nic;
  const holder = (own["virtualMachine"] as { id: string } | undefined)?.id ?? id;
  if (holder.toLowerCase() !== id.toLowerCase()) throw invalid("NicInUse", "The interface is used by another machine.");
}

/** Refuses a PUT that changes what Azure never changes, even if the machine's creation has failed. */
function assertUnchanged(known: Thing | undefined, { storageProfile, osProfile }: Body["properties"]): void {
  if (known === undefined) return;
  const was = known.properties as Pick<Body["properties"], "storageProfile" | "osProfile">;
  const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
  const changed = [
    !same(was.storageProfile.imageReference, storageProfile.imageReference) && "imageReference",
    was.storageProfile.osDisk.name !== storageProfile.osDisk.name && "osDisk.name",
    was.osProfile.adminUsername !== osProfile.adminUsername && "osProfile.adminUsername",
    !same(was.osProfile.linuxConfiguration, osProfile.linuxConfiguration) && "linuxConfiguration.ssh.publicKeys",
  ].find((one) => one !== false);
  if (changed !== undefined)
    throw conflict("PropertyChangeNotAllowed", `Changing property '${changed}' is not allowed.`);
}

/** Refuses a reference to something that Azure failed to create. */
export function assertMade({ name, properties }: Thing): void {
  if (properties["provisioningState"] !== "Failed") return;
  throw conflict(
    "ReferencedResourceNotProvisioned",
    `The resource ${name} is not in Succeeded state. It is in Failed state.`,
  );
}

/** Refuses a size that is not offered, or that exceeds the quota. */
export function checkSize(world: World, id: string, name: string, location: string, zone: string | undefined) {
  const size = world.offers.sizes.find((one) => one.name === name);
  const isTaken = size?.restrictions?.some(
    ({ type, zones }) => type === "Location" || (zone !== undefined && zones?.includes(zone)),
  );
  if (size === undefined || location !== "westeurope" || isTaken) {
    throw conflict(
      "SkuNotAvailable",
      `The requested VM size ${name} is currently not available in location '${location}'.`,
    );
  }
  const own = world.things.get(id.toLowerCase())?.properties["hardwareProfile"] as { vmSize?: string } | undefined;
  if (own?.vmSize !== name) assertQuota(world, name);
  return size;
}

/** Refuses a size that needs more processors than the quotas have left. */
export function assertQuota(world: World, name: string): void {
  const { family = "", vcpus = 0 } = world.offers.sizes.find((one) => one.name === name) ?? {};
  for (const quota of ["cores", family]) {
    const limit = world.offers.limits[quota];
    if (limit === undefined || world.cores(quota) + vcpus <= limit) continue;
    const message = `Operation could not be completed as it results in exceeding approved ${quota} Cores quota.`;
    throw conflict("OperationNotAllowed", message);
  }
}

/** Refuses a premium disk on a size that does not support it. */
function assertPremium({ name, premium }: FakeSize, type = ""): void {
  if (!type.startsWith("Premium") || premium !== false) return;
  const message = `Requested operation cannot be performed because VM size ${name} does not support the storage account type ${type}.`;
  throw invalid("InvalidParameter", message);
}

function checkDisks(world: World, id: string, disks: DataDisks, size: FakeSize, zone: string | undefined): void {
  if (disks.length > (size.disks ?? 16))
    throw conflict("OperationNotAllowed", "The maximum number of data disks is exceeded.");
  if (new Set(disks.map(({ lun }) => lun)).size !== disks.length)
    throw invalid("InvalidParameter", "two disks have the same LUN");
  for (const { managedDisk } of disks) {
    const disk = world.at(managedDisk.id, () => invalid("InvalidResourceReference", managedDisk.id));
    if (disk.managedBy !== undefined && disk.managedBy.toLowerCase() !== id.toLowerCase()) {
      throw conflict("ConflictingUserInput", `Disk ${disk.name} is attached to another machine.`);
    }
    assertPremium(size, disk.sku?.name);
    if (!disk.sku?.name.endsWith("_ZRS") && disk.zones?.[0] !== zone) {
      throw invalid("BadRequest", "The zone(s) of the disk and of the machine differ.");
    }
  }
}

/** Stores the first disk of a new machine, and attaches the machine's disks and interface to it. */
export function placeMachine(world: World, vm: Thing, body: Body): void {
  const { storageProfile, networkProfile } = body.properties;
  const { osDisk, dataDisks } = storageProfile;
  const base = vm.id.slice(0, vm.id.indexOf("/providers/"));
  const diskId = `${base}/providers/Microsoft.Compute/disks/${osDisk.name}`;
  const known = world.things.get(diskId.toLowerCase());
  if (known === undefined) {
    world.things.set(diskId.toLowerCase(), {
      id: diskId,
      name: osDisk.name,
      type: "Microsoft.Compute/disks",
      location: vm.location,
      tags: {},
      sku: { name: osDisk.managedDisk.storageAccountType },
      managedBy: vm.id,
      properties: { diskSizeGB: osDisk.diskSizeGB, provisioningState: "Succeeded", diskState: "Attached" },
    });
  }
  const stored = vm.properties["storageProfile"] as { osDisk: { managedDisk: { id?: string } } };
  stored.osDisk.managedDisk.id = diskId;
  // A PUT contains the complete list: anything that is not in it is detached.
  for (const disk of world.list("Microsoft.Compute/disks")) {
    if (disk.managedBy === vm.id && disk.id !== diskId) delete disk.managedBy;
  }
  hold(world, vm, dataDisks);
  for (const { id } of networkProfile.networkInterfaces) world.at(id).properties["virtualMachine"] = { id: vm.id };
  vm.properties["vmId"] ??= `00000000-0000-4000-9000-${String(world.next()).padStart(12, "0")}`;
  world.power.set(vm.id.toLowerCase(), "running");
}

function hold(world: World, vm: Thing, disks: DataDisks): void {
  for (const { managedDisk } of disks) world.at(managedDisk.id).managedBy = vm.id;
}

function sizeOf(world: World, vm: Thing): FakeSize {
  const { vmSize } = vm.properties["hardwareProfile"] as { vmSize: string };
  const found = world.offers.sizes.find(({ name }) => name === vmSize);
  if (found === undefined) throw new Error(`the fake has no size ${vmSize}`);
  return found;
}

/** Refuses a size that does not support the disks of a machine, or the system on them. */
function assertTakes(world: World, vm: Thing, size: FakeSize): void {
  const { osDisk, dataDisks } = vm.properties["storageProfile"] as Body["properties"]["storageProfile"];
  assertPremium(size, osDisk.managedDisk.storageAccountType);
  checkDisks(world, vm.id, dataDisks, size, vm.zones?.[0]);
  if ((size.architecture ?? "x64") === (sizeOf(world, vm).architecture ?? "x64")) return;
  throw invalid("InvalidParameter", "The architecture of the size differs from that of the machine.");
}

/** Changes a machine. */
export function updateMachine(world: World, vm: Thing, body: Update): void {
  const { hardwareProfile, storageProfile, networkProfile } = body.properties ?? {};
  if (hardwareProfile !== undefined) {
    const size = checkSize(world, vm.id, hardwareProfile.vmSize, vm.location, vm.zones?.[0]);
    assertTakes(world, vm, size);
    vm.properties["hardwareProfile"] = hardwareProfile;
  }
  if (networkProfile !== undefined) updateCards(vm, networkProfile);
  const own = vm.properties["storageProfile"] as { osDisk: object; dataDisks: DataDisks };
  if (storageProfile?.osDisk !== undefined) Object.assign(own.osDisk, storageProfile.osDisk);
  if (storageProfile?.dataDisks === undefined) return;
  checkDisks(world, vm.id, storageProfile.dataDisks, sizeOf(world, vm), vm.zones?.[0]);
  // The list is complete: anything that is not in it is detached.
  for (const { managedDisk } of own.dataDisks) delete world.at(managedDisk.id).managedBy;
  own.dataDisks = storageProfile.dataDisks;
  hold(world, vm, own.dataDisks);
}

/** Changes the delete options of a machine's interfaces; refuses to add or remove interfaces. */
function updateCards(vm: Thing, given: Body["properties"]["networkProfile"]): void {
  const idsOf = (all: typeof given): string =>
    all.networkInterfaces
      .map(({ id }) => id.toLowerCase())
      .toSorted()
      .join();
  if (idsOf(given) !== idsOf(vm.properties["networkProfile"] as typeof given)) {
    throw conflict("AddingOrDeletingNetworkInterfacesOnARunningVirtualMachineNotSupported", vm.name);
  }
  vm.properties["networkProfile"] = structuredClone(given);
}

/**
 * Deletes a machine. What remains depends on the delete options of the machine's disks, its interface and the
 * interface's address.
 */
export function deleteMachine(world: World, vm: Thing): void {
  const { storageProfile, networkProfile } = vm.properties as unknown as Body["properties"];
  const stored = storageProfile as unknown as { osDisk: { managedDisk: { id: string }; deleteOption?: string } };
  const disks = [stored.osDisk, ...storageProfile.dataDisks];
  for (const { managedDisk, deleteOption } of disks) {
    const disk = world.things.get(managedDisk.id.toLowerCase());
    if (disk === undefined) continue;
    if (deleteOption === "Delete") world.things.delete(managedDisk.id.toLowerCase());
    else delete disk.managedBy;
  }
  for (const { id, properties } of networkProfile.networkInterfaces) {
    const card = world.things.get(id.toLowerCase());
    if (card === undefined) continue;
    delete card.properties["virtualMachine"];
    if (properties.deleteOption !== "Delete") continue;
    world.things.delete(id.toLowerCase());
    for (const { publicIPAddress } of configurationsOf(card)) {
      if (publicIPAddress?.properties?.deleteOption === "Delete") world.things.delete(publicIPAddress.id.toLowerCase());
    }
  }
  world.power.delete(vm.id.toLowerCase());
  world.things.delete(vm.id.toLowerCase());
}

interface Configuration {
  readonly subnet: { readonly id: string };
  readonly publicIPAddress?: { readonly id: string; readonly properties?: { readonly deleteOption?: string } };
}

/** The settings of an interface's addresses. */
export function configurationsOf(card: Thing): Configuration[] {
  return (card.properties["ipConfigurations"] as { properties: Configuration }[]).map(({ properties }) => properties);
}

/** Refuses to delete a resource that another resource uses. */
export function assertUnused(world: World, thing: Thing): void {
  const id = thing.id.toLowerCase();
  const cards = world.list("Microsoft.Network/networkInterfaces");
  const uses = (reference: string | undefined): boolean => reference?.toLowerCase().startsWith(id) === true;
  if (thing.managedBy !== undefined)
    throw conflict("OperationNotAllowed", `Disk ${thing.name} is attached to VM ${thing.managedBy}.`);
  if (thing.properties["virtualMachine"] !== undefined) throw invalid("NicInUse", `${thing.name} is in use.`);
  if (cards.some((card) => configurationsOf(card).some((one) => uses(one.publicIPAddress?.id)))) {
    throw invalid("PublicIPAddressCannotBeDeleted", `${thing.name} is still allocated to an interface.`);
  }
  if (cards.some((card) => configurationsOf(card).some((one) => uses(one.subnet.id)))) {
    throw invalid("InUseSubnetCannotBeDeleted", `A subnet of ${thing.name} is in use.`);
  }
  const networks = world.list("Microsoft.Network/virtualNetworks").filter((one) => groupOf(one.id) === groupOf(id));
  const subnets = networks.flatMap(
    (one) => one.properties["subnets"] as { properties: { networkSecurityGroup?: { id: string } } }[],
  );
  if (subnets.some((one) => uses(one.properties.networkSecurityGroup?.id))) {
    throw invalid("InUseNetworkSecurityGroupCannotBeDeleted", `${thing.name} is associated with a subnet.`);
  }
}
