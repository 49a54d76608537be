import { absent, knownAfterApply, task, z } from "../../src/authoring.ts";
import { gce, gceOwner, gceSeen } from "../../src/facts/catalogue.ts";
import { foreign, shared } from "../gce-network/own.ts";

/** Reserves an external address in Google Compute Engine, and outputs it. */
export const gceAddress = task({
  name: "gceAddress",
  summary: "Reserve an external IPv4 address in Google Compute Engine, or release it",
  params: z.strictObject({
    name: shared.name("Name of the address"),
    project: shared.project(),
    region: shared.region("Region of the address"),
    owner: shared.owner(),
    state: z.enum(["present", "absent"]).default("present").describe("Whether the address is reserved"),
  }),
  service: "gce",
  examples: [{ name: "harvester", project: "harvester-lab-1234", region: "europe-west3" }],
  title: (p) => `gceAddress ${p.name}`,
  disturbs: () => [gce.all],
})
  .facts((p) => ({ address: gce.address({ project: p.project, region: p.region, name: p.name }) }))
  .want((p, { address }) => {
    const refusal = foreign("address", p, address);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") return { address: absent };
    const mark = { description: gceOwner(p.owner) };
    // Google assigns the address, so it is not known in advance.
    return { address: address === absent ? { ...mark, address: knownAfterApply } : mark };
  })
  .steps((p, { change, now }) => {
    if (change.address === undefined) return [];
    const { project, region, name } = p;
    const act = { sort: "address", place: { project, region, name } } as const;
    if (p.state === "absent") {
      return [
        gce.call({
          ...act,
          seen: gceSeen(p.owner, now.address),
          method: "delete",
          until: "absent",
          label: `release address ${name}`,
        }),
      ];
    }
    const addressResource = { name, addressType: "EXTERNAL", description: gceOwner(p.owner) };
    const label = `reserve address ${name}`;
    return [gce.call({ ...act, method: "insert", fields: { addressResource }, until: { status: "RESERVED" }, label })];
  })
  .outputs((_p, { address }) => ({ address: address === absent ? "" : address.address }));
