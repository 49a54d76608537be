import { absent, entries, file, refuse, task, z } from "../../src/authoring.ts";

/** The schema of a bridge's name: that of a network interface. */
export const bridgeParam = () =>
  z
    .string({ error: "the name of a bridge, like br0" })
    .regex(/^[a-z][a-z0-9_-]{0,14}$/i, "the name of a bridge, like br0, of at most 15 characters");

/**
 * Refuses a node without the bridge to which virtual machines attach. Does not create the bridge, because that would
 * change the network over which the node may be reached.
 */
export const bridgeThere = task({
  name: "bridgeThere",
  summary: "Refuse a node that has no bridge for virtual machines",
  params: z.strictObject({
    host: z.string().describe("Name of the node"),
    bridge: bridgeParam().describe("Name of the bridge"),
  }),
  examples: [],
  title: ({ host, bridge }) => `${host} has the bridge ${bridge}`,
})
  .facts(({ bridge }) => ({
    device: file(`/sys/class/net/${bridge}`),
    bridge: file(`/sys/class/net/${bridge}/bridge`),
    ports: entries(`/sys/class/net/${bridge}/brif`),
  }))
  .want(({ host, bridge: name }, { device, bridge }) => {
    if (device !== absent && bridge !== absent) return {};
    const what = device === absent ? "no interface" : "no bridge, but another interface,";
    return refuse({
      code: "no-bridge",
      message: `${host} has ${what} with the name ${name}, so machines on it would have no network`,
      hint: `Create the bridge in the host's network configuration (netplan, systemd-networkd, NetworkManager or ifcfg), so that it survives a reboot; give it an interface that your SSH connection does not use`,
    });
  })
  .steps(() => [])
  .notes(({ host, bridge: name }, { bridge, ports }) =>
    bridge !== absent && Array.isArray(ports) && ports.length === 0
      ? [`the bridge ${name} of ${host} has no interface: machines on it reach only machines on the same node`]
      : [],
  );
