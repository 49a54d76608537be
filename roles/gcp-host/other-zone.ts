import { refuse, task, z } from "../../src/authoring.ts";
import { gceInstancesNamed, gceOwner, type GcePart, gcePartsOf } from "../../src/facts/catalogue.ts";
import { regionOf } from "../../tasks/gce-instance/params.ts";
import { shared } from "../../tasks/gce-network/own.ts";

const params = z.strictObject({
  project: shared.project(),
  zone: shared.zone(),
  name: shared.name("Name and owner of the machine"),
});

/**
 * Checks that the machine is not in a zone other than the given one: a machine in another zone uses the same firewalls
 * and the same network. If the machine is gone, its disks and addresses show where it was. A note names the parts that
 * are elsewhere, which are not deleted.
 */
export const noOtherZone = task({
  name: "noOtherZone",
  summary: "Check that a machine is in no other zone before its firewalls and its network are deleted",
  params,
  service: "gce",
  examples: [],
  title: ({ name }) => `zone of ${name}`,
})
  .facts(({ project, name }) => ({
    named: gceInstancesNamed({ project, name }),
    parts: gcePartsOf({ project, name }),
  }))
  .want(({ project, zone, name }, { named, parts }) => {
    const own = named.filter(({ description }) => description === gceOwner(name)).map((one) => one.zone);
    const others = own.filter((one) => one !== zone);
    const [other] = others;
    if (other === undefined) {
      const elsewhere = partsElsewhere(parts, zone);
      if (own.length > 0 || elsewhere.length === 0 || elsewhere.length < parts.length) return {};
      return refuse({
        code: "other-zone",
        message: `there is no instance ${name}, and everything that is left of it is outside ${zone}: ${said(elsewhere)}`,
        hint: `Set the zone of these resources: --var zone=${zoneOf(elsewhere)}`,
      });
    }
    if (own.includes(zone)) {
      return refuse({
        code: "other-zone",
        message: `the instance ${name} is in ${zone}, and another one in ${others.join(" and ")}: both use the firewalls and the network that would be deleted`,
        hint: `Delete the one that you do not need: gcloud compute instances delete ${name} --project ${project} --zone ZONE`,
      });
    }
    return refuse({
      code: "other-zone",
      message: `the instance ${name} is not in ${zone}, but in ${others.join(" and ")}`,
      hint: `Set the zone: --var zone=${other}`,
    });
  })
  .steps(() => [])
  .notes(({ zone }, { parts }) => {
    const elsewhere = partsElsewhere(parts, zone);
    return elsewhere.length === 0 ? [] : [`not deleted, because it is not in ${zone}: ${said(elsewhere)}`];
  });

/** Returns the parts that are neither in the zone nor in its region. */
function partsElsewhere(parts: readonly GcePart[], zone: string): readonly GcePart[] {
  return parts.filter(({ place }) => place !== zone && place !== regionOf(zone));
}

function said(parts: readonly GcePart[]): string {
  return parts.map(({ sort, name, place }) => `${sort} ${name} in ${place}`).join(", ");
}

/** Returns the zone of a disk; without a disk, a placeholder for a zone of the address's region. */
function zoneOf(parts: readonly GcePart[]): string {
  return parts.find(({ sort }) => sort === "disk")?.place ?? `${parts[0]?.place}-a`;
}
