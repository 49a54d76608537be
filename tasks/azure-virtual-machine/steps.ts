import { type Absent, absent, type Step } from "../../src/authoring.ts";
import { azure, type AzureGroup, type AzureMachine, azurePartsOf } from "../../src/facts/catalogue.ts";
import { hasTags, tagsWith } from "../azure-resource-group/own.ts";
import type { Params } from "./params.ts";

/** The LUNs of the disks that are not attached yet. */
export function newLuns(p: Params, machine: AzureMachine | Absent): Record<string, number> {
  const has = machine === absent ? {} : machine.disks;
  const taken = new Set(Object.values(has).map(({ lun }) => lun));
  const missing = p.dataDisks.filter((name) => has[name] === undefined);
  const free = Array.from({ length: 64 }, (_, lun) => lun).filter((lun) => !taken.has(lun));
  return Object.fromEntries(missing.map((name, at) => [name, free[at] ?? 64]));
}

/** The steps that create a machine, or repeat a failed creation. */
export function create(p: Params, location: string): (Step | false)[] {
  const { name, group, owner, subscription, zone, size = "", image = "", network = "" } = p;
  const place = { name, group, owner, subscription };
  const made = {
    location,
    zone,
    size,
    image,
    network,
    login: p.login,
    publicKeys: p.publicKeys,
    osDiskGb: p.osDiskGb,
    osDiskType: p.osDiskType,
    disks: p.dataDisks,
    publicAddress: p.publicAddress,
    security: p.securityType,
    tags: tagsWith(p),
  };
  return [
    azure.call({ act: "createMachine", ...place, ...made }, `create the machine ${name}`),
    p.hostKeys && readHostKeys(p),
    p.state === "stopped" && azure.call({ act: "stopMachine", ...place }, `stop the machine ${name}`),
  ];
}

function readHostKeys(p: Params): Step {
  const { name, group, owner, subscription, deadlineSeconds } = p;
  const act = { act: "readHostKeys", name, group, owner, subscription, deadlineSeconds } as const;
  return azure.call(act, `read the host keys of ${name}`);
}

/** The steps that change an existing machine; `broken` lists the machine's other objects that must be repaired. */
export function changes(
  p: Params,
  place: AzureGroup | Absent,
  now: AzureMachine,
  broken: readonly string[],
): (Step | false)[] {
  const { name, group, owner, subscription, size = "", network = "" } = p;
  const own = { name, group, owner, subscription };
  const location = place === absent ? "" : place.location;
  const tags = tagsWith(p, now);
  const luns = newLuns(p, now);
  const lost = p.dataDisks.filter((disk) => now.disks[disk]?.deleteOption === "Delete");
  const needsAddress = p.publicAddress && !now.publicAddress;
  const isSameSize = now.size.toLowerCase() === size.toLowerCase();
  const starts = p.state === "present" && now.status !== "running" && now.status !== "creating";
  const stops = p.state === "stopped" && now.status !== "deallocated";
  return [
    now.status === "creating" &&
      azure.call({ act: "awaitMachine", ...own }, `wait until the machine ${name} is running`),
    !hasTags(now.tags, tags) && azure.call({ act: "tag", kind: "machine", ...own, tags }, `tag the machine ${name}`),
    Object.keys(luns).length > 0 &&
      azure.call(
        { act: "attachDisks", ...own, disks: luns },
        `attach ${Object.keys(luns).join(", ")} to the machine ${name}`,
      ),
    lost.length > 0 &&
      azure.call(
        { act: "keepDisks", ...own, disks: lost },
        `keep ${lost.join(", ")} when the machine ${name} is deleted`,
      ),
    !isSameSize &&
      azure.call({ act: "resizeMachine", ...own, location, size }, `resize the machine ${name} to ${size}`),
    (needsAddress || broken.length > 0) &&
      azure.call(
        { act: "setPublicAddress", ...own, location, network, publicAddress: p.publicAddress },
        needsAddress
          ? `give the machine ${name} a public address`
          : `repair ${broken.join(" and ")}, which Azure has left unfinished`,
      ),
    starts &&
      azure.call(
        { act: "startMachine", ...own, location, size, isAllocated: now.status === "stopped" },
        `start the machine ${name}`,
      ),
    p.hostKeys && p.state === "present" && now.hostKeys.length === 0 && readHostKeys(p),
    stops && azure.call({ act: "stopMachine", ...own }, `stop the machine ${name}`),
  ];
}

/** The step that deletes a machine; its title lists what is deleted and what is kept. */
export function remove(p: Params, now: AzureMachine | Absent): Step {
  const { name, group, owner, subscription } = p;
  const { card, address, osDisk } = azurePartsOf(name);
  const act = { act: "delete", kind: "machine", name, group, owner, subscription } as const;
  if (now === absent)
    return azure.call(act, `delete what remains of the machine ${name}: ${osDisk}, ${card} and ${address}`);
  const others = now.cards.filter((one) => one.toLowerCase() !== card.toLowerCase());
  const kept = [...Object.keys(now.disks), ...others].toSorted();
  const stay = kept.length === 0 ? "" : `; keep ${kept.join(", ")}`;
  return azure.call(act, `delete the machine ${name} with its first disk ${now.osDisk}, ${card} and ${address}${stay}`);
}
