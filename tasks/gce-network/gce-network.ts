import { absent, task, z } from "../../src/authoring.ts";
import { gce, gceOwner, gceSeen } from "../../src/facts/catalogue.ts";
import { foreign, notInPlace, shared } from "./own.ts";

/** Manages or deletes a VPC network in Google Compute Engine. */
export const gceNetwork = task({
  name: "gceNetwork",
  summary: "Create or update a VPC network in Google Compute Engine, or delete it",
  params: z.strictObject({
    name: shared.name("Name of the network"),
    project: shared.project(),
    subnets: z
      .enum(["auto", "custom"])
      .default("auto")
      .describe("auto: Google creates a subnetwork in each region; custom: gceSubnetwork creates them"),
    mtu: z
      .int("a number of bytes")
      .min(1300, "at least 1300 bytes")
      .max(8896, "at most 8896 bytes")
      .default(1460)
      .describe("Size of the largest packet (MTU) in bytes"),
    owner: shared.owner(),
    state: z.enum(["present", "absent"]).default("present").describe("Whether the network exists"),
  }),
  service: "gce",
  examples: [
    { name: "harvester", project: "harvester-lab-1234" },
    { name: "harvester", project: "harvester-lab-1234", subnets: "custom" },
    { name: "harvester", project: "harvester-lab-1234", state: "absent" },
  ],
  title: (p) => `gceNetwork ${p.name}`,
  disturbs: () => [gce.all],
})
  .facts((p) => ({ network: gce.network(p) }))
  .want((p, { network }) => {
    const refusal = foreign("network", p, network);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") return { network: absent };
    // Google can switch a network to custom mode, but not back.
    if (network !== absent && !network.autoSubnets && p.subnets === "auto") {
      return notInPlace(`the network ${p.name}`, "subnets", "custom", "auto", "everything in it");
    }
    return { network: { autoSubnets: p.subnets === "auto", mtu: p.mtu, description: gceOwner(p.owner) } };
  })
  .steps((p, { change, now }) => {
    if (change.network === undefined) return [];
    const act = { sort: "network", place: { project: p.project, name: p.name } } as const;
    if (p.state === "absent") {
      return [
        gce.call({
          ...act,
          seen: gceSeen(p.owner, now.network),
          method: "delete",
          until: "absent",
          label: `delete network ${p.name}`,
        }),
      ];
    }
    const networkResource = { mtu: p.mtu };
    if (now.network !== absent) {
      const custom = { autoSubnets: false };
      const label = `set mtu of network ${p.name} to ${p.mtu}`;
      const switches = `switch network ${p.name} to custom subnetworks`;
      return [
        now.network.autoSubnets &&
          p.subnets === "custom" &&
          gce.call({ ...act, method: "switchToCustomMode", until: custom, label: switches }),
        now.network.mtu !== p.mtu &&
          gce.call({ ...act, method: "patch", fields: { networkResource }, until: networkResource, label }),
      ];
    }
    const autoCreateSubnetworks = p.subnets === "auto";
    const made = { ...networkResource, name: p.name, autoCreateSubnetworks, description: gceOwner(p.owner) };
    const label = `create network ${p.name}`;
    return [gce.call({ ...act, method: "insert", fields: { networkResource: made }, until: networkResource, label })];
  });
