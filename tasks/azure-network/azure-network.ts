import { absent, type Absent, refuse, task, z } from "../../src/authoring.ts";
import { azure, type AzureNetwork } from "../../src/facts/catalogue.ts";
import {
  common,
  foreign,
  hasTags,
  noGroup,
  notInPlace,
  resourceName,
  sameName,
  tagsWith,
} from "../azure-resource-group/own.ts";
import { cidr, network as networkFrom } from "./ranges.ts";
import { hasPorts, isWithin, linesOf, rulesOf } from "./rules.ts";

const allowed = /^(tcp|udp):(\*|\d{1,5}(-\d{1,5})?)$|^icmp$/;

const params = z.strictObject({
  name: resourceName().describe("Name of the virtual network, its subnet and the subnet's security group"),
  group: common.group(),
  cidr: cidr("Range of the network; cannot be changed once the network exists").default("10.20.0.0/16"),
  subnetCidr: cidr("Range of the subnet, within that of the network").default("10.20.0.0/24"),
  inbound: z
    .array(
      z.strictObject({
        allow: z
          .array(
            z
              .string()
              .regex(allowed, 'a protocol and ports, like "tcp:22", "udp:8000-8100", "tcp:*" or "icmp"')
              .refine(hasPorts, "ports up to 65535, the lower one first"),
          )
          .min(1, "at least one protocol")
          .describe("Protocols and ports"),
        from: z
          .array(networkFrom("192.0.2.0/24"))
          .min(1, "at least one network")
          .describe("Source networks; 0.0.0.0/0 means everyone"),
      }),
    )
    .default([])
    .describe("Traffic that is allowed in from outside the network; machines inside it always reach each other"),
  tags: common.tags(),
  owner: common.owner(),
  subscription: common.subscription(),
  state: common
    .state()
    .describe("Whether the network exists; absent deletes the network, its subnet and its security group"),
});

/** Creates, changes or deletes a virtual network in Azure with one subnet that only the given sources can reach. */
export const azureNetwork = task({
  name: "azureNetwork",
  summary: "Create or change a virtual network in Azure with a subnet and its firewall rules, or delete it",
  params,
  service: "azure",
  examples: [
    {
      name: "harvester",
      group: "harvester",
      inbound: [
        { allow: ["tcp:443"], from: ["0.0.0.0/0"] },
        { allow: ["tcp:22", "tcp:6443"], from: ["192.0.2.7/32"] },
      ],
    },
    { name: "harvester", group: "harvester", state: "absent" },
  ],
  title: (p) => `azureNetwork ${p.name}`,
  disturbs: () => [azure.all],
})
  .facts(({ name, group, subscription }) => ({
    group: azure.group({ name: group, subscription }),
    network: azure.network({ name, group, subscription }),
    securityGroup: azure.securityGroup({ name, group, subscription }),
  }))
  .want((p, { group, network, securityGroup }) => {
    const refusal = foreign("virtual network", p, network) ?? foreign("security group", p, securityGroup);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") {
      const others = network === absent ? [] : Object.keys(network.subnets).filter((name) => !sameName(name, p.name));
      if (others.length === 0) return { network: absent, securityGroup: absent };
      return refuse({
        code: "network-in-use",
        message: `the virtual network ${p.name} has subnets that furrow did not create: ${others.join(", ")}`,
        hint: "Remove these subnets first: az network vnet subnet delete",
      });
    }
    const missing = noGroup(p.group, group);
    if (missing !== undefined || group === absent) return missing ?? {};
    const { name, cidr: range, subnetCidr } = p;
    if (!isWithin(subnetCidr, range)) {
      return refuse({
        code: "outside-network",
        message: `the subnet ${subnetCidr} is not within the network ${range}`,
        hint: "Correct cidr or subnetCidr",
      });
    }
    const thing = `the virtual network ${name}`;
    const lost = "the addresses of all its machines";
    if (network !== absent && network.cidrs.join(", ") !== range) {
      return notInPlace(thing, "cidr", network.cidrs.join(", "), range, lost);
    }
    const [known = name, subnet] = subnetOf(network, name);
    if (subnet !== undefined && subnet.cidr !== subnetCidr) {
      return notInPlace(thing, "subnetCidr", subnet.cidr, subnetCidr, lost);
    }
    const made = { location: group.location, state: "Succeeded" };
    const protector = subnet !== undefined && sameName(subnet.securityGroup, name) ? subnet.securityGroup : name;
    const subnets = { [known]: { cidr: subnetCidr, securityGroup: protector } };
    return {
      securityGroup: { ...made, tags: tagsWith(p, securityGroup), inbound: linesOf(p), other: [] },
      network: { ...made, tags: tagsWith(p, network), cidrs: [range], subnets },
    };
  })
  .steps((p, { change, now: { group: place, network, securityGroup } }) => {
    const { name, group, owner, subscription, cidr: range, subnetCidr } = p;
    const own = { name, group, owner, subscription };
    if (p.state === "absent") {
      return [
        change.network !== undefined &&
          azure.call({ act: "delete", kind: "network", ...own }, `delete the virtual network ${name} with its subnet`),
        change.securityGroup !== undefined &&
          azure.call({ act: "delete", kind: "securityGroup", ...own }, `delete the security group ${name}`),
      ];
    }
    const location = place === absent ? "" : place.location;
    const tags = tagsWith(p);
    const verb = securityGroup === absent ? "create" : "change";
    const made = { ...own, location, tags };
    return [
      // The rules come first, so that the subnet is protected from the beginning.
      change.securityGroup !== undefined &&
        azure.call({ act: "putSecurityGroup", ...made, rules: rulesOf(p) }, `${verb} the security group ${name}`),
      ...(change.network === undefined ? [] : networkSteps()),
    ];
    function networkSteps() {
      if (network === absent || network.state !== "Succeeded") {
        const act = { act: "createNetwork", ...made, cidr: range, subnetCidr } as const;
        return [azure.call(act, `create the virtual network ${name} with its subnet`)];
      }
      const label = `protect the subnet ${name} with the security group ${name}`;
      return [
        !isProtected(network, name) && azure.call({ act: "putSubnet", ...own, subnetCidr }, label),
        !hasTags(network.tags, tags) &&
          azure.call({ act: "tag", kind: "network", ...own, tags }, `tag the virtual network ${name}`),
      ];
    }
  })
  .outputs((p, { network }) => ({ name: p.name, cidr: cidrOf(network) }));

function isProtected(network: AzureNetwork, name: string): boolean {
  const [, subnet] = subnetOf(network, name);
  return subnet !== undefined && sameName(subnet.securityGroup, name);
}

/** Returns a subnet's name as Azure spells it, and the subnet; an empty list if the subnet does not exist. */
function subnetOf(network: AzureNetwork | Absent, name: string) {
  const all = network === absent ? [] : Object.entries(network.subnets);
  return all.find(([one]) => sameName(one, name)) ?? ([] as const);
}

function cidrOf(network: AzureNetwork | Absent): string {
  return network === absent ? "" : (network.cidrs[0] ?? "");
}
