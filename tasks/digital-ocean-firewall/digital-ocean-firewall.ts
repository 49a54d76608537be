import { absent, task, z } from "../../src/authoring.ts";
import { digitalOcean, digitalOceanOwner } from "../../src/facts/catalogue.ts";
import { common, foreign, notInPlace, resourceName } from "../digital-ocean-droplet/own.ts";

const traffic = z
  .string()
  .regex(/^(tcp|udp)(:\d{1,5}(-\d{1,5})?)?$|^icmp$/, 'a protocol, with a port or a range of ports: "tcp:22", "icmp"');
const network = z.union([z.cidrv4(), z.cidrv6()], { error: 'a range of addresses, like "192.0.2.0/24"' });

const params = z.strictObject({
  name: resourceName().describe("Name of the firewall"),
  inbound: z
    .array(
      z.strictObject({
        allow: z.array(traffic).min(1, "at least one protocol").describe("Allowed traffic"),
        from: z.array(network).min(1, "at least one range").describe("Source ranges of this traffic"),
      }),
    )
    .default([])
    .describe("Allowed inbound traffic; all other inbound traffic is blocked"),
  outbound: z
    .array(
      z.strictObject({
        allow: z.array(traffic).min(1, "at least one protocol").describe("Allowed traffic"),
        to: z.array(network).min(1, "at least one range").describe("Destination ranges of this traffic"),
      }),
    )
    .default([{ allow: ["tcp", "udp", "icmp"], to: ["0.0.0.0/0", "::/0"] }])
    .describe("Allowed outbound traffic; all other outbound traffic is blocked; default: everything is allowed"),
  owner: common.owner().describe("Owner; the firewall protects all droplets with the tag furrow:OWNER"),
  token: common.token(),
  state: z.enum(["present", "absent"]).default("present").describe("Whether the firewall exists"),
});

type Params = z.output<typeof params>;

/** Manages or deletes a cloud firewall at DigitalOcean that protects all droplets of its owner. */
export const digitalOceanFirewall = task({
  name: "digitalOceanFirewall",
  summary: "Create or change a firewall at DigitalOcean that protects the droplets of an owner, or delete it",
  params,
  service: "digitalOcean",
  examples: [
    {
      name: "harvester",
      owner: "harvester",
      inbound: [
        { allow: ["tcp:443"], from: ["0.0.0.0/0", "::/0"] },
        { allow: ["tcp:22", "tcp:6443"], from: ["192.0.2.7/32"] },
      ],
    },
  ],
  title: (p) => `digitalOceanFirewall ${p.name}`,
  disturbs: () => [digitalOcean.all],
})
  .facts(({ name, token }) => ({ firewall: digitalOcean.firewall({ name, token }) }))
  .want((p, { firewall }) => {
    const refusal = foreign("firewall", p, firewall);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") return { firewall: absent };
    if (firewall !== absent && firewall.droplets.length > 0) {
      const ids = firewall.droplets.join(", ");
      return notInPlace(`the firewall ${p.name}`, "individual droplets", ids, "only a tag", "nothing but the firewall");
    }
    return { firewall: { ...rulesOf(p), tags: [digitalOceanOwner(p.owner)], status: "succeeded", droplets: [] } };
  })
  .steps((p, { change, now: { firewall } }) => {
    if (change.firewall === undefined) return [];
    const { name, owner, token } = p;
    if (p.state === "absent") {
      return [digitalOcean.call({ act: "deleteFirewall", name, owner, token }, `delete the firewall ${name}`)];
    }
    const act = firewall === absent ? "createFirewall" : "changeFirewall";
    const label = `${firewall === absent ? "create" : "change"} the firewall ${name}`;
    const tags = [digitalOceanOwner(owner)];
    return [digitalOcean.call({ act, name, owner, token, ...rulesOf(p), tags }, label)];
  });

/** The rules in the form that the fact returns: one line for each protocol, range of ports and address. */
function rulesOf({ inbound, outbound }: Params) {
  const lines = (allow: readonly string[], ends: readonly string[]): string[] =>
    allow.flatMap((one) => ends.map((end) => `${one} ${end}`));
  const sorted = (all: readonly string[]): string[] => [...new Set(all)].toSorted();
  return {
    inbound: sorted(inbound.flatMap(({ allow, from }) => lines(allow, from))),
    outbound: sorted(outbound.flatMap(({ allow, to }) => lines(allow, to))),
  };
}
