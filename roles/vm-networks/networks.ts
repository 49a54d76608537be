import { seconds, z } from "../../src/authoring.ts";
import { ipv4Number, overlap, subnetOf } from "../../src/facts/catalogue.ts";
import { type BondMode, bondModes, modesFor, switchTexts } from "./bonds.ts";

/** The cluster network of the nodes' own addresses. Harvester creates it, and does not allow network configs for it. */
export const managementNetwork = "mgmt";

const labelForm = "lower-case letters, digits and dashes";
const label = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/**
 * A bridge has the name of its cluster network followed by `-br`, and the name of a Linux device has at most 15
 * characters.
 */
const clusterNetworkForm = `a name of at most 12 characters: ${labelForm}`;

const objectForm = `a name of at most 63 characters: ${labelForm}`;
const objectName = z.string().max(63, objectForm).regex(label, objectForm);

/** A record whose keys are names of at most `most` characters; `form` describes a valid name. */
function byName<V extends z.ZodType>(value: V, most: number, form: string) {
  return z.record(z.string().max(most, form).regex(label, form), value);
}

const nicForm = "the name of a network interface, like ens2";
const nic = z
  .string()
  .regex(/^[^\s/:]{1,15}$/, nicForm)
  .refine((one) => one !== "lo", `${nicForm}, but not the loopback interface`)
  .refine((one) => !/-b[or](\.\d+)?$/.test(one), `${nicForm}, but not one of Harvester's own bonds and bridges`);

const modes = Object.keys(bondModes) as [BondMode, ...BondMode[]];

const uplink = z
  .strictObject({
    nodes: z
      .record(z.string(), z.string())
      .default({})
      .describe("Labels that a node must have, with their values; default: all nodes except witnesses"),
    nics: z.array(nic).min(1).describe("Network interfaces on each of these nodes that form one bond"),
    bond: z.enum(modes).default("active-backup").describe("Mode of the bond"),
    switch: z
      .enum(["lacp", "static", "none"])
      .optional()
      .describe("Link aggregation of the switch on these ports; an incompatible bond mode is refused"),
  })
  .superRefine(({ nics, bond, switch: side }, context) => {
    const twice = nics.find((one, index) => nics.indexOf(one) !== index);
    if (twice !== undefined) {
      context.addIssue({ code: "custom", path: ["nics"], message: `each interface once; ${twice} is given twice` });
    }
    if (side !== undefined && side !== bondModes[bond]) {
      const fitting = modesFor(side).join(", ");
      context.addIssue({
        code: "custom",
        path: ["bond"],
        message: `one of ${fitting}, because the switch has ${switchTexts[side]}; ${bond} needs ${switchTexts[bondModes[bond]]}`,
      });
    }
  });

const vlanForm = "a VLAN from 1 to 4094, or untagged";

const network = z.strictObject({
  vlan: z
    .union([z.int(vlanForm).min(1, vlanForm).max(4094, vlanForm), z.literal("untagged")], { error: vlanForm })
    .describe('VLAN of the network, from 1 to 4094, or "untagged"'),
  namespace: objectName.default("default").describe("Namespace of the network; machines in all namespaces can use it"),
});

const clusterNetwork = z.strictObject({
  description: z.string().optional().describe("Description in the Harvester UI"),
  mtu: z.int().min(576).max(9000).default(1500).describe("MTU, from 576 to 9000"),
  uplinks: byName(uplink, 63, objectForm)
    .default({})
    .describe("Network configs by name: which interfaces connect which nodes"),
  networks: byName(network, 63, objectForm).default({}).describe("Networks for virtual machines, by name"),
});

/** The part of the networks that carries Longhorn's replication. */
export const storageNetworkSchema = z
  .strictObject({
    clusterNetwork: z
      .string()
      .describe("Cluster network that carries the storage network; every node must have this cluster network"),
    vlan: z.int(vlanForm).min(1, vlanForm).max(4094, vlanForm).describe("VLAN, from 1 to 4094"),
    range: z
      .cidrv4("a subnet, like 10.10.60.0/24")
      .describe("Subnet for the nodes' addresses; nothing else may use it"),
    exclude: z
      .array(z.cidrv4("a subnet, like 10.10.60.0/28"))
      .default([])
      .describe("Parts of the subnet that other machines use"),
  })
  .superRefine(({ range, exclude }, context) => {
    const { first } = subnetOf(range) ?? {};
    if (first !== undefined && first !== ipv4Number(range.split("/")[0] ?? "")) {
      const message = "a subnet that begins with its first address, like 10.10.60.0/24";
      context.addIssue({ code: "custom", path: ["range"], message });
    }
    const taken = reservedSubnets.find((one) => overlap(range, one));
    if (taken !== undefined) {
      const message = `a subnet that is not part of ${taken}, which the cluster uses for pods and services`;
      context.addIssue({ code: "custom", path: ["range"], message });
    }
    const outside = exclude.find((one) => !isWithin(one, range));
    if (outside !== undefined) {
      context.addIssue({ code: "custom", path: ["exclude"], message: `parts of ${range}; ${outside} is outside` });
    }
  });

/** The desired storage network of Longhorn. */
export type StorageNetwork = z.output<typeof storageNetworkSchema>;

/**
 * Subnets of pods and services of the cluster and of its guest clusters (Harvester's documentation, Storage Network).
 */
const reservedSubnets = ["10.42.0.0/16", "10.43.0.0/16", "10.52.0.0/16", "10.53.0.0/16"];

function isWithin(inner: string, outer: string): boolean {
  const [one, all] = [subnetOf(inner), subnetOf(outer)];
  return one !== undefined && all !== undefined && one.first >= all.first && one.last <= all.last;
}

/** The networks that the virtual machines of a Harvester cluster use. */
export const vmNetworksSchema = z
  .strictObject({
    kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
    fieldManager: z
      .string()
      .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
      .default("furrow-networks")
      .describe("Name under which the cluster records what furrow owns; do not change it"),
    force: z.boolean().default(false).describe("Take over fields that others have changed"),
    clusterNetworks: byName(clusterNetwork, 12, clusterNetworkForm)
      .refine((all) => Object.keys(all).length > 0, "at least one cluster network")
      .describe('Cluster networks by name; "mgmt" always exists, and can contain only networks'),
    storageNetwork: storageNetworkSchema
      .optional()
      .describe("Dedicated network for Longhorn's replication; default: the setting is left unchanged"),
    deadlineSeconds: seconds()
      .default(300)
      .describe("Seconds within which every node must have set up its cluster networks"),
  })
  .superRefine(({ clusterNetworks, storageNetwork }, context) => {
    const carrier = storageNetwork?.clusterNetwork;
    if (carrier !== undefined && carrier !== managementNetwork && !(carrier in clusterNetworks)) {
      const message = `one of ${[...new Set([managementNetwork, ...Object.keys(clusterNetworks)])].join(", ")}`;
      context.addIssue({ code: "custom", path: ["storageNetwork", "clusterNetwork"], message });
    }
    const shared = Object.entries(clusterNetworks[carrier ?? ""]?.networks ?? {}).find(
      ([, { vlan }]) => vlan === storageNetwork?.vlan,
    );
    if (shared !== undefined) {
      const message = `a VLAN that no other network uses; the network ${shared[0]} for virtual machines uses it`;
      context.addIssue({ code: "custom", path: ["storageNetwork", "vlan"], message });
    }
    const places = new Map<string, string>();
    for (const [name, { uplinks, networks, mtu }] of Object.entries(clusterNetworks)) {
      const issue = (field: string, message: string): void =>
        context.addIssue({ code: "custom", path: ["clusterNetworks", name, field], message });
      const isManagement = name === managementNetwork;
      if (isManagement && Object.keys(uplinks).length > 0)
        issue("uplinks", `nothing: ${name} has the interfaces that each node was installed with`);
      if (isManagement && mtu !== 1500) issue("mtu", `nothing: the MTU of ${name} is part of each node's installation`);
      if (!isManagement && Object.keys(uplinks).length === 0)
        issue("uplinks", "at least one: without interfaces, no node has the network");
      const named = [
        ...Object.keys(uplinks).map((one) => ["uplinks", `network config ${one}`] as const),
        ...Object.entries(networks).map(([one, { namespace }]) => ["networks", `network ${namespace}/${one}`] as const),
      ];
      for (const [field, one] of named) {
        const other = places.get(one);
        if (other !== undefined) issue(field, `another name: the ${one} is also in ${other}`);
        places.set(one, name);
      }
    }
  });

/** The validated networks of a cluster's virtual machines. */
export type VmNetworks = z.output<typeof vmNetworksSchema>;

/** A wanted network config. */
export const wantedConfigSchema = z.strictObject({
  name: z.string().describe("Name of the network config"),
  clusterNetwork: z.string().describe("Cluster network to which the config connects nodes"),
  nodes: z.record(z.string(), z.string()).describe("Labels that a node must have"),
  nics: z.array(z.string()).describe("Interfaces of each node"),
  mtu: z.number().describe("MTU"),
  bond: z.enum(modes).describe("Mode of the bond"),
});

/** A wanted network config. */
export type WantedConfig = z.output<typeof wantedConfigSchema>;

/** All wanted network configs. */
export function wantedConfigs({ clusterNetworks }: Pick<VmNetworks, "clusterNetworks">): WantedConfig[] {
  return Object.entries(clusterNetworks).flatMap(([own, { uplinks, mtu }]) =>
    Object.entries(uplinks).map(([name, { nodes, nics, bond }]) => ({
      name,
      clusterNetwork: own,
      nodes,
      nics,
      mtu,
      bond,
    })),
  );
}
