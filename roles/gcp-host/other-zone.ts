import { refuse, task, z } from "../../src/authoring.ts";
import { gceInstancesNamed, gceOwner } from "../../src/facts/catalogue.ts";
import { shared } from "../../tasks/gce-network/own.ts";

const params = z.strictObject({
  project: shared.project(),
  zone: shared.zone(),
  name: shared.name("Name and owner of the machine"),
});

/**
 * Checks that the machine is in no zone other than the given one: a machine in another zone uses the same firewalls and
 * the same network.
 */
export const noOtherZone = task({
  name: "noOtherZone",
  summary: "Check that a machine is in no other zone before its firewalls and its network are deleted",
  params,
  service: "gce",
  examples: [],
  title: ({ name }) => `zone of ${name}`,
})
  .facts(({ project, name }) => ({ named: gceInstancesNamed({ project, name }) }))
  .want(({ project, zone, name }, { named }) => {
    const own = named.filter(({ description }) => description === gceOwner(name)).map((one) => one.zone);
    const others = own.filter((one) => one !== zone);
    const [other] = others;
    if (other === undefined) return {};
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
  .steps(() => []);
