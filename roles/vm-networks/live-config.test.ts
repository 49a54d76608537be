import { describe, expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { liveConfigs, sentConfig, type WantedNetwork } from "./live-config.ts";
import { vmNetworksSchema } from "./networks.ts";
import { wantedNetworks } from "./objects.ts";

const wanted = (mtu: number, clusterNetwork = "vm"): WantedNetwork => {
  const uplinks = clusterNetwork === "mgmt" ? {} : { all: { nics: ["ens2"] } };
  const networks = { platform: { vlan: 30 } };
  const { clusterNetworks } = vmNetworksSchema.parse({
    kubeconfig: "k",
    clusterNetworks: { [clusterNetwork]: { mtu, uplinks, networks } },
  });
  return wantedNetworks(clusterNetworks)[0] as WantedNetwork;
};

/** The network in the cluster, with its config formatted as Harvester formats it. */
function live(own: WantedNetwork, more: object, labels: object = own.labels): object {
  const { name, ...rest } = JSON.parse(own.config) as { name: string };
  const { mtu: _, ...config } = { mtu: 0, ...rest };
  return { kind: "x", metadata: { name, labels }, spec: { config: JSON.stringify({ ...config, name, ...more }) } };
}
const configOf = (object: object): string => (object as { spec: { config: string } }).spec.config;

describe("a network of virtual machines", () => {
  test("that others put on another VLAN is not taken over without force", () => {
    const own = wanted(1500);
    expect(sentConfig(own, live(own, { vlan: 100 }))).toEqual({ config: own.config, force: false });
    expect(sentConfig(own, live(own, { vlanTrunk: [] }))).toEqual({ config: own.config, force: false });
  });

  test("keeps the config that Harvester has written, if it means the same", () => {
    const own = wanted(9000);
    const same = live(own, { mtu: 9000 });
    expect(configOf(same)).not.toBe(own.config);
    expect(sentConfig(own, same)).toEqual({ config: configOf(same), force: false });
    const normal = wanted(1500);
    for (const more of [{}, { mtu: 0 }, { mtu: 1500 }])
      expect(sentConfig(normal, live(normal, more))).toEqual({ config: configOf(live(normal, more)), force: false });
  });

  test("gets its MTU although Harvester owns the config, but only if nothing else differs", () => {
    const own = wanted(9000);
    expect(sentConfig(own, live(own, { mtu: 1500 }))).toEqual({ config: own.config, force: true });
    expect(sentConfig(own, live(own, { mtu: 1500, vlan: 31 }))).toEqual({ config: own.config, force: false });
    const labels = { ...own.labels, "network.harvesterhci.io/vlan-id": "31" };
    expect(sentConfig(own, live(own, { mtu: 1500 }, labels))).toEqual({ config: own.config, force: false });
  });

  test("of the management network keeps the MTU with which the nodes were installed", () => {
    const own = wanted(1500, "mgmt");
    const jumbo = live(own, { mtu: 9000 });
    expect(sentConfig(own, jumbo)).toEqual({ config: configOf(jumbo), force: false });
  });

  test.each([undefined, {}, { metadata: {}, spec: { config: "{" } }, { metadata: {}, spec: { config: "[]" } }])(
    "is sent as wanted if the cluster has none, or one with an unknown config: %j",
    (object) => {
      expect(sentConfig(wanted(1500), object)).toEqual({ config: wanted(1500).config, force: false });
    },
  );

  test("is not changed if the cluster's config cannot be read", () => {
    const task = liveConfigs({ kubeconfig: "k", networks: [wanted(1500)] });
    const error = { code: "HTTP 403", message: "no" };
    expect(explain(task, { live: [{ error }] }).refusal?.message).toContain(
      "cannot tell which config default/platform has",
    );
  });
});
