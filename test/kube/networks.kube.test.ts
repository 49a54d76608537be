import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { vmNetworksSchema } from "../../roles/vm-networks/networks.ts";
import { vmNetworks } from "../../roles/vm-networks/role.ts";
import { attachedMachineOf } from "../guards/examples.ts";
import { linkMonitorOf } from "../guards/network-examples.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { apply, makeNodes, networkController, play, read } from "./actors.ts";
import { networkKinds } from "./harvester-kinds.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controller: Promise<void>;
const names = ["harvester-1", "harvester-2", "harvester-3"];

beforeAll(async () => {
  server = await ApiServer.up();
  apply(server, ...networkKinds);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  const rack = (name: string): object => ({ rack: name === "harvester-3" ? "2" : "1" });
  makeNodes(server, Object.fromEntries(names.map((name) => [name, rack(name)])));
  apply(server, { apiVersion: network, kind: "LinkMonitor", ...linkMonitorOf(names) });
  apply(server, {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachine",
    ...attachedMachineOf("db", "default/platform"),
  });
  controller = play(server, stop.signal, networkController);
});
afterAll(async () => {
  stop.abort();
  await controller;
  await server?.down();
});

const network = "network.harvesterhci.io/v1beta1";

type Vars = z.input<typeof vmNetworksSchema>;

const wanted: Vars["clusterNetworks"] = {
  mgmt: { networks: { lab: { vlan: "untagged" } } },
  vm: {
    uplinks: {
      "vm-rack-1": { nodes: { rack: "1" }, nics: ["ens2", "ens3"], bond: "802.3ad", switch: "lacp" },
    },
    networks: { platform: { vlan: 30 } },
  },
};

const networks = (clusterNetworks: Vars["clusterNetworks"]) =>
  vmNetworks(vmNetworksSchema.parse({ kubeconfig: server.kubeconfig(), clusterNetworks, deadlineSeconds: 120 }));
const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));

describe("the networks of a cluster", () => {
  test("check mode says what the run will do, and a second run changes nothing", async () => {
    const checked = await host.check(networks(wanted));
    const applied = await host.apply(networks(wanted));
    expect(outcomes(applied)).toEqual([
      "the networks fit the cluster: ok",
      "kubeObject ClusterNetwork vm: changed",
      "kubeObject VlanConfig vm-rack-1: changed",
      "the cluster networks are ready: ok",
      "kubeObject NetworkAttachmentDefinition default/lab: changed",
      "kubeObject NetworkAttachmentDefinition default/platform: changed",
      "where the virtual machines can run: ok",
    ]);
    // Only the run can wait for the nodes.
    const besidesWait = (ends: readonly TaskEnd[]): string[] => outcomes(ends).toSpliced(3, 1);
    expect(besidesWait(checked)).toEqual(besidesWait(applied));
    expect(applied.at(-1)?.notes).toEqual([
      "default/db can run only on harvester-1, harvester-2: harvester-3 does not have default/platform",
    ]);
    expect(outcomes(await host.apply(networks(wanted))).filter((one) => !one.endsWith(": ok"))).toEqual([]);
    expect(read(server, "vlanconfig", "vm-rack-1")).toHaveProperty("spec", {
      clusterNetwork: "vm",
      nodeSelector: { rack: "1" },
      // The server adds the default.
      uplink: {
        nics: ["ens2", "ens3"],
        bondOptions: { mode: "802.3ad", miimon: -1 },
        linkAttributes: { mtu: 1500, txQLen: -1 },
      },
    });
  });

  test("are refused, and nothing changes, if a new network config matches a node of an old one", async () => {
    const both = { ...wanted, vm: { uplinks: { "vm-all": { nics: ["ens2"] } } } };
    for (const mode of ["check", "apply"] as const) {
      const [end] = await host[mode](networks(both));
      expect(end?.error?.message).toContain(
        "the network configs vm-rack-1 and vm-all of vm both match harvester-1, harvester-2",
      );
    }
    expect(read(server, "vlanconfigs")).toHaveProperty("items.length", 1);
  });

  test("are restored if someone changes a VLAN by hand", async () => {
    const own = "network-attachment-definitions";
    const config = (): string => (read(server, own, "platform") as { spec: { config: string } }).spec.config;
    const before = config();
    const edited = JSON.stringify({ spec: { config: before.replace('"vlan":30', '"vlan":31') } });
    server.kubectl(["patch", own, "platform", "--type=merge", `--patch=${edited}`]);
    const ends = await host.apply(networks(wanted));
    expect(outcomes(ends).filter((one) => !one.endsWith(": ok"))).toEqual([
      "kubeObject NetworkAttachmentDefinition default/platform: changed",
    ]);
    expect(config()).toBe(before);
  });
});
