import { describe, expect, test } from "vitest";
import {
  answersOf,
  attachedMachineOf,
  nodeOf,
  type Objects,
  soundCluster,
  threeNodes,
} from "../../test/guards/examples.ts";
import { linkMonitorOf, networkConfigOf, networkStatusOf, vmNetworkOf } from "../../test/guards/network-examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import type { WantedConfig } from "./networks.ts";
import { networksFit } from "./networks-fit.ts";
import { networksReady } from "./networks-ready.ts";
import { placement } from "./placement.ts";

const all = ["harvester-1", "harvester-2", "harvester-3"];
const config = (more: Partial<WantedConfig> = {}): WantedConfig => ({
  name: "vm-all",
  clusterNetwork: "vm",
  nodes: {},
  nics: ["ens2", "ens3"],
  mtu: 1500,
  bond: "802.3ad",
  ...more,
});
const fresh: Partial<Objects> = { networkConfigs: [], networkStatuses: [], vmNetworks: [] };
const host = (name: string): Record<string, string> => ({ "kubernetes.io/hostname": name });

const fit = (configs: readonly WantedConfig[], cluster: Partial<Objects> = fresh): Explanation =>
  explain(networksFit({ kubeconfig: "k", configs: [...configs] }), answersOf({ ...soundCluster, ...cluster }));

describe("network configs", () => {
  test("fit a fresh cluster, and a note says what the switch needs", () => {
    const { refusal, notes } = fit([config()]);
    expect(refusal).toBeUndefined();
    expect(notes).toEqual([
      "vm-all connects harvester-1, harvester-2, harvester-3 to vm with ens2 and ens3 (802.3ad): the switch needs LACP (IEEE 802.3ad) on these ports",
    ]);
  });

  test("fit a cluster that has them already, where their interfaces are part of their own bond", () => {
    const linkMonitors = [linkMonitorOf(all, [], { ens2: 9, ens3: 9 })];
    expect(fit([config()], { ...soundCluster, linkMonitors }).refusal).toBeUndefined();
  });

  test.each<[string, WantedConfig[], Partial<Objects>, string]>([
    [
      "match one node twice",
      [config({ name: "a", nodes: host("harvester-1") }), config({ name: "b", nics: ["ens3"] })],
      fresh,
      "the network configs a and b of vm both match harvester-1",
    ],
    [
      "match a node of a config that the cluster has",
      [config({ name: "b", nodes: host("harvester-2") })],
      { ...fresh, networkConfigs: [networkConfigOf("old", "vm", ["ens2"])] },
      "the network configs old and b of vm both match harvester-2",
    ],
    [
      "have a different MTU from a config that the cluster has",
      [config({ name: "b", nodes: host("harvester-2"), mtu: 9000 })],
      {
        ...fresh,
        networkConfigs: [networkConfigOf("old", "vm", ["ens2"], { nodeSelector: host("harvester-1"), mtu: 0 })],
      },
      "the network configs of vm need the same MTU, but old has 1500 and b 9000",
    ],
    [
      "want an interface that another cluster network has",
      [config({ clusterNetwork: "lab", name: "lab-all", nics: ["ens3"] })],
      { ...fresh, networkConfigs: [networkConfigOf("old", "vm", ["ens2", "ens3"])] },
      "ens3 of harvester-1, harvester-2, harvester-3 cannot be in two bonds: old of vm has it, and lab-all of lab needs it",
    ],
    [
      "want an interface of the management network",
      [config({ nodes: host("harvester-1"), nics: ["ens1"] })],
      fresh,
      "ens1 of harvester-1 is already part of link 8, so it may belong to the management network",
    ],
    [
      "want an interface that a node does not have",
      [config({ nodes: host("harvester-1"), nics: ["eno9"] })],
      fresh,
      "harvester-1 reports no interface eno9; it reports ens1, ens2, ens3",
    ],
    [
      "would take an existing config from another cluster network",
      [config({ clusterNetwork: "lab" })],
      { ...fresh, networkConfigs: [networkConfigOf("vm-all", "vm", ["ens2"])] },
      "the network config vm-all belongs to vm; moving it to lab would disconnect the nodes of vm",
    ],
    [
      "match no node",
      [config({ nodes: { rack: "7" } })],
      fresh,
      "the network config vm-all matches no node: none has rack=7, apart from witnesses",
    ],
  ])("are refused if they %s", (_what, configs, cluster, says) => {
    expect(fit(configs, cluster).refusal?.message).toBe(says);
  });

  test("are not blocked by a config that is being deleted", () => {
    const going = { ...networkConfigOf("old", "vm", ["ens2"]), metadata: { name: "old", deletionTimestamp: "x" } };
    expect(fit([config()], { ...fresh, networkConfigs: [going] }).refusal).toBeUndefined();
  });

  test("leave out witnesses, and a note names nodes whose interfaces no LinkMonitor reports", () => {
    const witness = nodeOf("witness");
    Object.assign((witness as { metadata: { labels: object } }).metadata.labels, {
      "node-role.harvesterhci.io/witness": "true",
    });
    const { refusal, notes } = fit([config()], { ...fresh, nodes: [...threeNodes(), witness], linkMonitors: [] });
    expect(refusal).toBeUndefined();
    expect(notes.join()).not.toContain("witness");
    expect(notes).toContain(
      "the interfaces of harvester-1, harvester-2, harvester-3 cannot be checked: no LinkMonitor reports them",
    );
  });
});

describe("the wait for the nodes", () => {
  const wait = (cluster: Partial<Objects>): Explanation =>
    explain(
      networksReady({ kubeconfig: "k", configs: [config()], deadlineSeconds: 1 }),
      answersOf({ ...soundCluster, ...cluster }),
    );

  test("ends when every node has the network, and says which interface is down", () => {
    const { refusal, notes } = wait({ linkMonitors: [linkMonitorOf(["harvester-2"], ["ens3"])] });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual(["ens3 of harvester-2 is down: check the cable and the switch's port"]);
  });

  test("says if Harvester's report is older than the last change of the network config", () => {
    const config = networkConfigOf("vm-all", "vm", ["ens2", "ens3"]) as { metadata: object };
    const managedFields = [
      { time: "2026-11-28T01:00:00Z", fieldsV1: { "f:spec": {} } },
      { time: "2026-11-28T03:00:00Z", fieldsV1: { "f:metadata": {} } },
    ];
    const networkConfigs = [{ ...config, metadata: { ...config.metadata, managedFields } }];
    const networkStatuses = ["00:59:59", "01:00:01", "02:00:00"].map((time, index) => ({
      metadata: { name: `s-${index}` },
      status: {
        clusterNetwork: "vm",
        vlanConfig: "vm-all",
        node: `harvester-${index + 1}`,
        conditions: [{ type: "ready", status: "True", lastUpdateTime: `2026-11-28T${time}Z` }],
      },
    }));
    const { refusal, notes } = wait({ networkConfigs, networkStatuses });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual([
      "Harvester has not reported the state of vm on harvester-1 since vm-all changed at 2026-11-28T01:00:00Z: check it on these nodes",
    ]);
  });

  test("names the nodes that do not have it, and why", () => {
    const networkStatuses = [
      networkStatusOf("vm", "vm-all", "harvester-1", "ens3 not found"),
      networkStatusOf("vm", "old", "harvester-2"),
    ];
    expect(wait({ networkStatuses }).refusal?.message).toBe(
      "vm is not ready on harvester-1: ens3 not found; harvester-2 still has vm from the network config old, not vm-all; harvester-3 has not set up vm",
    );
  });
});

describe("where machines can run", () => {
  // The example of the model: network A is on hosts 0 to 2, B on 1 and 2, C on 2 and 3.
  const nodes = [0, 1, 2, 3].map((index) => nodeOf(`host${index}`));
  const on = (network: string, ...hosts: number[]): object[] =>
    hosts.map((index) => networkStatusOf(network, `${network}-config`, `host${index}`));
  const cluster: Partial<Objects> = {
    nodes,
    networkStatuses: [...on("a", 0, 1, 2), ...on("b", 1, 2), ...on("c", 2, 3)],
    vmNetworks: [
      vmNetworkOf("na", "a", 1),
      vmNetworkOf("nb", "b", 2),
      vmNetworkOf("nc", "c", 3),
      vmNetworkOf("nm", "mgmt", 4),
    ],
  };
  const notes = (...machines: object[]): readonly string[] =>
    explain(placement({ kubeconfig: "k" }), answersOf({ ...soundCluster, ...cluster, machines })).notes;

  test("is reported for each machine that cannot run everywhere", () => {
    expect(
      notes(
        attachedMachineOf("vm0", "default/na"),
        attachedMachineOf("vm1", "nb", "nc"),
        attachedMachineOf("vm2", "default/nm"),
      ),
    ).toEqual([
      "default/vm0 can run only on host0, host1, host2: host3 does not have default/na",
      "default/vm1 can run only on host2: host0 does not have default/nb, default/nc; host1 does not have default/nc; host3 does not have default/nb",
    ]);
  });

  test("is also reported if no node has all networks, or a network does not exist", () => {
    expect(notes(attachedMachineOf("vm3", "na", "nb", "nc", "nd"))).toEqual([
      "no node can run default/vm3: the network default/nd does not exist",
    ]);
    const all3 = [...on("a", 0), ...on("b", 1), ...on("c", 3)];
    const machines = [attachedMachineOf("vm4", "na", "nb")];
    const answers = answersOf({ ...soundCluster, ...cluster, networkStatuses: all3, machines });
    expect(explain(placement({ kubeconfig: "k" }), answers).notes).toEqual([
      "no node has all networks of default/vm4: host0 does not have default/nb; host1 does not have default/na; host2 does not have default/na, default/nb; host3 does not have default/na, default/nb",
    ]);
  });

  test("is everywhere if every node has every network", () => {
    expect(notes(attachedMachineOf("vm5", "nm"))).toEqual(["every node has the networks of every virtual machine"]);
  });
});
