import { absent, refuse, task, z } from "../../src/authoring.ts";
import { gceEffectiveFirewalls, gceNats, type GceNats } from "../../src/facts/catalogue.ts";
import { iapRange, verdictOn } from "./firewalls.ts";

const params = z.strictObject({
  project: z.string().describe("Id of the project"),
  region: z.string().describe("Region of the machine"),
  network: z.string().describe("Network of the machine"),
  subnetwork: z.string().optional().describe("Subnetwork of the machine; default: the network's automatic one"),
  tag: z.string().describe("Network tag of the machine"),
  tunnel: z.boolean().describe("Whether IAP's tunnels must reach the machine"),
  publicAddress: z.boolean().describe("Whether the machine has a public address"),
});

type Params = z.output<typeof params>;

/**
 * Checks that tunnels can reach the machine, and that the machine can reach its package repositories, as far as this
 * can be determined from Compute Engine.
 */
export const way = task({
  name: "way",
  summary: "Check that IAP tunnels can reach a machine, and that the machine can reach its package repositories",
  params,
  service: "gce",
  examples: [],
  title: ({ network }) => `way into ${network}`,
})
  .facts(({ project, region, network: name, tunnel, publicAddress }) => ({
    ...(tunnel && { firewalls: gceEffectiveFirewalls({ project, name }) }),
    ...(!publicAddress && { nats: gceNats({ project, region, name }) }),
  }))
  .want((p, { firewalls }) => {
    if (firewalls === undefined || firewalls === absent) return {};
    const verdict = verdictOn(firewalls, p.tag);
    if (verdict.is !== "denied") return {};
    return refuse({
      code: "no-way-in",
      message: `${verdict.by} blocks IAP's tunnels to port 22 of machines in ${p.network}`,
      expected: `port 22 open from ${iapRange}`,
      hint: "Change that rule to allow the tunnels, or choose another network or another route to the machine",
    });
  })
  .steps(() => [])
  .notes((p, { firewalls, nats }) => {
    const verdict = firewalls === undefined || firewalls === absent ? undefined : verdictOn(firewalls, p.tag);
    return [
      ...(firewalls === absent
        ? [
            `the network ${p.network} does not exist yet, so furrow cannot read the organization's firewall policies for it`,
          ]
        : []),
      ...(verdict?.is === "unsure" ? [`furrow cannot tell whether ${verdict.by} blocks IAP's tunnels`] : []),
      ...(nats === undefined ? [] : notesOnNats(p, nats)),
    ];
  });

function notesOnNats({ network, subnetwork = network, region }: Params, { known, nats }: GceNats): string[] {
  if (!known)
    return [
      `the credentials are not allowed to list the routers in ${region}, so furrow cannot tell whether there is a Cloud NAT`,
    ];
  if (nats.some(({ subnetworks }) => subnetworks === "all" || subnetworks.includes(subnetwork))) return [];
  return [
    `there is no Cloud NAT for ${subnetwork} in ${region}: the machine cannot download packages until there is one`,
  ];
}
