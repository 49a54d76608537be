/** A network config: it connects all nodes with these labels to a cluster network. */
export function networkConfigOf(
  name: string,
  clusterNetwork: string,
  nics: readonly string[],
  { nodeSelector, mtu = 1500 }: { readonly nodeSelector?: object; readonly mtu?: number } = {},
): object {
  return {
    metadata: { name },
    spec: {
      clusterNetwork,
      ...(nodeSelector !== undefined && { nodeSelector }),
      uplink: { nics, bondOptions: { mode: "active-backup", miimon: 100 }, linkAttributes: { mtu } },
    },
  };
}

/** The state of a cluster network on a node. */
export function networkStatusOf(clusterNetwork: string, vlanConfig: string, node: string, why = ""): object {
  return {
    metadata: { name: `${clusterNetwork}-${node}-1a2b3c4d` },
    status: {
      clusterNetwork,
      vlanConfig,
      node,
      conditions: [{ type: "ready", status: why === "" ? "True" : "False", ...(why !== "" && { message: why }) }],
    },
  };
}

/** The link monitor of all devices: each node has ens1 (part of its management bond), ens2 and ens3. */
export function linkMonitorOf(nodes: readonly string[], down: readonly string[] = [], masters: object = {}): object {
  const links = ["ens1", "ens2", "ens3"].map((name, at) => ({
    name,
    index: at + 2,
    type: "device",
    state: down.includes(name) ? "down" : "up",
    ...(name === "ens1" && { masterIndex: 8 }),
    ...(name in masters && { masterIndex: (masters as Record<string, number>)[name] }),
  }));
  return {
    metadata: { name: "nic" },
    spec: { targetLinkRule: { typeRule: "device" } },
    status: { linkStatus: Object.fromEntries(nodes.map((node) => [node, links])) },
  };
}

/** A network for virtual machines in the namespace default. */
export function vmNetworkOf(name: string, clusterNetwork: string, vlan: number): object {
  const config = { cniVersion: "0.3.1", name, type: "bridge", bridge: `${clusterNetwork}-br`, vlan, ipam: {} };
  return { metadata: { namespace: "default", name }, spec: { config: JSON.stringify(config) } };
}

/** The network that Harvester creates for Longhorn's replication. */
export function storageNetworkOf(clusterNetwork: string, vlan: number, range: string, exclude?: string[]): object {
  const ipam = { type: "whereabouts", range, ...(exclude && { exclude }) };
  const config = { type: "bridge", bridge: `${clusterNetwork}-br`, vlan, ipam };
  const metadata = { namespace: "harvester-system", name: "storagenetwork-95bj4" };
  return { metadata, spec: { config: JSON.stringify(config) } };
}
