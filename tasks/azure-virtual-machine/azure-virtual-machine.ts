import { absent, type Absent, knownAfterApply, task, type Wanted } from "../../src/authoring.ts";
import { azure, type AzureMachine, azurePartsOf } from "../../src/facts/catalogue.ts";
import { foreign, noGroup, tagsWith } from "../azure-resource-group/own.ts";
import { isLeft, obstacleOfDisks, obstacleOfFirstDisk, obstacleToChange, obstacleToNew } from "./obstacles.ts";
import { type Params, params } from "./params.ts";
import { changes, create, newLuns, remove } from "./steps.ts";

/** Creates, starts, stops or deletes a virtual machine in Azure, and outputs how to reach it. */
export const azureVirtualMachine = task({
  name: "azureVirtualMachine",
  summary: "Keep a virtual machine in Azure running or stopped, or delete it",
  params,
  service: "azure",
  examples: [
    {
      name: "harvester",
      group: "harvester",
      network: "harvester",
      size: "Standard_D16s_v5",
      image: "Debian:debian-12:12-gen2:latest",
      publicKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample"],
      dataDisks: ["harvester-data-1"],
      nestedVirtualization: true,
    },
    { name: "harvester", group: "harvester", state: "absent" },
  ],
  title: (p) => `azureVirtualMachine ${p.name}`,
  disturbs: () => [azure.all],
})
  .facts(({ name, group, subscription }) => ({
    machine: azure.machine({ name, group, subscription }),
    group: azure.group({ name: group, subscription }),
    card: azure.card({ name: azurePartsOf(name).card, group, subscription }),
    address: azure.address({ name: azurePartsOf(name).address, group, subscription }),
  }))
  .facts((p, { machine, group: place }) => {
    const { group, subscription, network = "", size = "", image = "" } = p;
    const location = place === absent ? "" : place.location;
    const isWanted = p.state !== "absent" && place !== absent;
    const isNew = isWanted && (machine === absent || machine.status === "failed");
    const isResized = isWanted && machine !== absent && machine.size.toLowerCase() !== size.toLowerCase();
    const own = azurePartsOf(p.name);
    const offer = { location, subscription };
    const others = machine === absent ? [] : Object.keys(machine.disks).filter((name) => !p.dataDisks.includes(name));
    const getsDisks = isWanted && machine !== absent && p.dataDisks.some((name) => machine.disks[name] === undefined);
    const sizes = isResized && !isNew ? [size, machine.size] : [size];
    const attached = isResized && !isNew ? [machine.osDisk, ...others] : [];
    const isStandard = p.securityType === "standard";
    return {
      sizes: isNew || isResized || getsDisks ? sizes.map((one) => azure.size({ name: one, ...offer })) : [],
      images: isNew ? [azure.image({ name: image, ...offer })] : [],
      features: isNew && isStandard ? [azure.feature({ name: "UseStandardSecurityType", subscription })] : [],
      networks: isNew ? [azure.network({ name: network, group, subscription })] : [],
      disks: isWanted ? p.dataDisks.map((name) => azure.disk({ name, group, subscription })) : [],
      attached: attached.map((name) => azure.disk({ name, group, subscription })),
      // The machine's own first disk, or one that was left over from an unfinished deletion and has the name that a new
      // machine needs.
      osDisks:
        p.state === "absent" || isNew
          ? [azure.disk({ name: machine === absent || isNew ? own.osDisk : machine.osDisk, group, subscription })]
          : [],
    };
  })
  .want((p, { machine, group, card, address, osDisks, ...parts }) => {
    const { name, owner } = p;
    const own = azurePartsOf(name);
    const refusal =
      foreign("machine", p, machine) ??
      foreign("network interface", { name: own.card, owner }, card) ??
      foreign("public address", { name: own.address, owner }, address);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") {
      const left = osDisks.filter((disk) => disk !== absent && (machine !== absent || isLeft(disk, owner)));
      return {
        machine: absent,
        card: absent,
        address: absent,
        ...(left.length > 0 && { osDisks: left.map(() => absent) }),
      };
    }
    const missing = noGroup(p.group, group);
    if (missing !== undefined || group === absent) return missing ?? {};
    const isNew = machine === absent || machine.status === "failed";
    const obstacle =
      (machine === absent ? undefined : obstacleToChange(p, group, machine, parts)) ??
      (isNew ? (obstacleToNew(p, group, parts) ?? obstacleOfFirstDisk(p, osDisks[0] ?? absent)) : undefined) ??
      obstacleOfDisks(p, parts.disks);
    if (obstacle !== undefined) return obstacle;
    return {
      machine: wanted(p, group.location, machine),
      ...(card !== absent && { card: { state: "Succeeded" } }),
      ...(address !== absent && p.publicAddress && { address: { state: "Succeeded" } }),
    };
  })
  .steps((p, { change, now: { machine, group } }) => {
    if (p.state === "absent") {
      const isChanged = [change.machine, change.card, change.address, change.osDisks].some((one) => one !== undefined);
      return isChanged ? [remove(p, machine)] : [];
    }
    const own = azurePartsOf(p.name);
    const broken = [change.card !== undefined && own.card, change.address !== undefined && own.address];
    const parts = broken.filter((one) => one !== false);
    if (change.machine === undefined && parts.length === 0) return [];
    if (machine === absent || machine.status === "failed") return create(p, group === absent ? "" : group.location);
    return changes(p, group, machine, parts);
  })
  .outputs((p, { machine }) => reachOf(p.name, machine));

/** The state that the machine must have; values that Azure chooses are known only once the machine exists. */
function wanted(p: Params, location: string, now: AzureMachine | Absent): Wanted<AzureMachine> {
  const { zone = "", network = "", size = "" } = p;
  const luns = newLuns(p, now);
  const disks = p.dataDisks.map((name) => {
    const has = now === absent ? undefined : now.disks[name];
    return [name, { lun: has?.lun ?? luns[name] ?? 0, deleteOption: "Detach" as const }] as const;
  });
  const isNew = now === absent || now.status === "failed";
  const getsAddress = p.publicAddress && (isNew || !now.publicAddress);
  const readsKeys = p.hostKeys && (isNew || (p.state === "present" && now.hostKeys.length === 0));
  return {
    location,
    status: p.state === "present" ? "running" : "deallocated",
    size: now !== absent && now.size.toLowerCase() === size.toLowerCase() ? now.size : size,
    zone,
    security: p.securityType,
    login: p.login,
    disks: Object.fromEntries(disks),
    network: `${network}/${network}`,
    ...(p.publicAddress && { publicAddress: true }),
    ...(getsAddress && { address: knownAfterApply }),
    ...(isNew && { id: knownAfterApply, osDisk: azurePartsOf(p.name).osDisk, privateAddress: knownAfterApply }),
    ...(isNew && { image: knownAfterApply, publicKeys: knownAfterApply }),
    ...(now === absent && { cards: [azurePartsOf(p.name).card] }),
    ...(now === absent && !p.publicAddress && { publicAddress: false, address: "" }),
    ...(readsKeys && { hostKeys: knownAfterApply }),
    ...(isNew && !p.hostKeys && { hostKeys: [] as string[] }),
    tags: tagsWith(p, now),
  };
}

function reachOf(name: string, machine: AzureMachine | Absent) {
  if (machine === absent) return { name, address: "", privateAddress: "", hostKeys: [] as readonly string[] };
  const { address, privateAddress, hostKeys } = machine;
  return { name, address, privateAddress, hostKeys };
}
