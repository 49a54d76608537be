import { absent, type Absent, refuse, task, z } from "../../src/authoring.ts";
import { azure, type AzureDisk } from "../../src/facts/catalogue.ts";
import { common, foreign, hasTags, noGroup, notInPlace, resourceName, tagsWith } from "../azure-resource-group/own.ts";

const params = z
  .strictObject({
    name: resourceName().describe("Name of the disk"),
    group: common.group(),
    sizeGb: z
      .int("a number of GiB")
      .min(1, "at least 1 GiB")
      .max(32_767, "at most 32767 GiB")
      .optional()
      .describe("Size in GiB; required unless state is absent; can grow but never shrink"),
    type: z
      .enum(["Premium_LRS", "StandardSSD_LRS", "Standard_LRS", "Premium_ZRS", "StandardSSD_ZRS"])
      .default("Premium_LRS")
      .describe("Type of storage; cannot be changed once the disk exists"),
    zone: z
      .enum(["1", "2", "3"])
      .optional()
      .describe("Availability zone; must be the zone of its machine; cannot be changed"),
    tags: common.tags(),
    owner: common.owner(),
    subscription: common.subscription(),
    state: common.state().describe("Whether the disk exists; absent deletes it with its data"),
  })
  .refine((p) => p.state === "absent" || p.sizeGb !== undefined, {
    message: "a number of GiB, unless the state is absent",
    path: ["sizeGb"],
  })
  .refine((p) => p.zone === undefined || !p.type.endsWith("_ZRS"), {
    message: "no zone, because disks of this type span all zones",
    path: ["zone"],
  });

/** Creates, grows or deletes a managed disk in Azure. A new disk is empty. */
export const azureDisk = task({
  name: "azureDisk",
  summary: "Create or grow a managed disk in Azure, or delete it",
  params,
  service: "azure",
  examples: [
    { name: "harvester-data-1", group: "harvester", sizeGb: 350 },
    { name: "harvester-data-1", group: "harvester", state: "absent" },
  ],
  title: (p) => `azureDisk ${p.name}`,
  disturbs: () => [azure.all],
})
  .facts(({ name, group, subscription }) => ({
    disk: azure.disk({ name, group, subscription }),
    group: azure.group({ name: group, subscription }),
  }))
  .facts(({ group, subscription, state }, { disk, group: place }) => ({
    machines: holdersOf(disk)
      .filter((name) => !name.includes("/"))
      .map((name) => azure.machine({ name, group, subscription })),
    locations:
      state === "present" && disk === absent && place !== absent
        ? [azure.location({ name: place.location, subscription })]
        : [],
  }))
  .want((p, { disk, group, machines, locations: [location = absent] }) => {
    const refusal = foreign("disk", p, disk);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") {
      // Only machines in this group are read, so a disk that is attached to a machine in another group counts as in
      // use.
      const isFree = machines.every((one) => one === absent) && machines.length === holdersOf(disk).length;
      if (disk === absent || isFree) return { disk: absent };
      return refuse({
        code: "disk-in-use",
        message: `the disk ${p.name} is attached to the machine ${disk.machine}`,
        hint: "Remove the machine first, or detach the disk",
      });
    }
    const missing = noGroup(p.group, group);
    if (missing !== undefined || group === absent) return missing ?? {};
    const { sizeGb = 0, type, zone = "" } = p;
    if (disk === absent) {
      if (zone !== "" && location !== absent && !location.zones) {
        return refuse({
          code: "no-zone",
          message: `the location ${group.location} has no availability zones`,
          hint: "Leave out the zone, or choose another location",
        });
      }
      return {
        disk: { location: group.location, state: "Succeeded", sizeGb, type, zone, machine: "", tags: tagsWith(p) },
      };
    }
    const thing = `the disk ${p.name}`;
    const lost = "its data";
    if (disk.sizeGb > sizeGb) return notInPlace(thing, "size in GiB", String(disk.sizeGb), String(sizeGb), lost);
    if (disk.type !== type) return notInPlace(thing, "type", disk.type, type, lost);
    if (disk.zone !== zone) return notInPlace(thing, "zone", disk.zone, zone, lost);
    return { disk: { sizeGb, state: "Succeeded", tags: tagsWith(p, disk) } };
  })
  .steps((p, { change, now: { disk, group: place } }) => {
    if (change.disk === undefined) return [];
    const { name, group, owner, subscription, sizeGb = 0, type, zone } = p;
    const own = { name, group, owner, subscription };
    if (p.state === "absent") {
      return [azure.call({ act: "delete", kind: "disk", ...own }, `delete the disk ${name} with its data`)];
    }
    const tags = tagsWith(p);
    if (disk === absent || disk.state !== "Succeeded") {
      const location = place === absent ? "" : place.location;
      const made = { ...own, location, sizeGb, type, zone, tags };
      return [azure.call({ act: "createDisk", ...made }, `create the disk ${name} with ${sizeGb} GiB`)];
    }
    return [
      disk.sizeGb < sizeGb &&
        azure.call({ act: "growDisk", ...own, sizeGb }, `grow the disk ${name} from ${disk.sizeGb} to ${sizeGb} GiB`),
      !hasTags(disk.tags, tags) && azure.call({ act: "tag", kind: "disk", ...own, tags }, `tag the disk ${name}`),
    ];
  })
  .outputs((p) => ({ name: p.name }));

/** The machines that a disk is attached to; those in other groups as `group/name`. */
function holdersOf(disk: AzureDisk | Absent): readonly string[] {
  return disk === absent || disk.machine === "" ? [] : disk.machine.split(", ");
}
