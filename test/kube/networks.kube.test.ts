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

const networks = (clusterNetworks: Vars["clusterNetworks"], force = false) =>
  vmNetworks(vmNetworksSchema.parse({ kubeconfig: server.kubeconfig(), clusterNetworks, force, deadlineSeconds: 120 }));
const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));

describe("the networks of a cluster", () => {
  test("check mode says what the run will do, and a second run changes nothing", async () => {
    const checked = await host.check(networks(wanted));
    const applied = await host.apply(networks(wanted));
    expect(outcomes(applied)).toEqual([
      "the networks fit the cluster: ok",
      "the configs of the networks for virtual machines: ok",
      "kubeObject ClusterNetwork vm: changed",
      "kubeObject VlanConfig vm-rack-1: changed",
      "the cluster networks are ready: ok",
      "kubeObject NetworkAttachmentDefinition default/lab: changed",
      "kubeObject NetworkAttachmentDefinition default/platform: changed",
      "where the virtual machines can run: ok",
    ]);
    // Only a run waits for the nodes; check mode cannot.
    const besidesWait = (ends: readonly TaskEnd[]): string[] => outcomes(ends).toSpliced(4, 1);
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

  const own = "network-attachment-definitions";
  const config = (name = "platform"): string => (read(server, own, name) as { spec: { config: string } }).spec.config;
  function edit(name: string, from: string, to: string): void {
    const edited = JSON.stringify({ spec: { config: config(name).replace(from, to) } });
    server.kubectl(["patch", own, name, "--type=merge", `--patch=${edited}`, "--field-manager=harvester"]);
  }
  const changed = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !one.endsWith(": ok"));

  test("that someone changes by hand are a conflict, and are restored with force", async () => {
    const before = config();
    edit("platform", '"vlan":30', '"vlan":31');
    for (const mode of ["check", "apply"] as const) {
      const conflict = changed(await host[mode](networks(wanted))).join();
      expect(conflict).toContain("spec.config is owned by harvester");
      expect(conflict).toMatch(/current .*vlan.*31.* wanted .*vlan.*30/);
    }
    expect(config()).not.toBe(before);
    expect(changed(await host.apply(networks(wanted, true)))).toEqual([
      "kubeObject NetworkAttachmentDefinition default/platform: changed",
    ]);
    expect(config()).toBe(before);
  });

  test("of another owner keep their VLAN, in check mode and in a run", async () => {
    const spec = { config: config().replaceAll("platform", "argo").replace('"vlan":30', '"vlan":100') };
    const metadata = { name: "argo", namespace: "default" };
    apply(server, { apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition", metadata, spec });
    const more = { ...wanted, vm: { ...wanted["vm"], networks: { argo: { vlan: 30 } } } };
    for (const mode of ["check", "apply"] as const)
      expect(changed(await host[mode](networks(more))).join()).toContain("default/argo: failed");
    expect(config("argo")).toContain('"vlan":100');
  });

  test("are not a conflict if Harvester has only written the MTU", async () => {
    edit("platform", '"vlan":30', '"vlan":30,"mtu":1500');
    expect(changed(await host.check(networks(wanted))).join()).not.toContain("failed");
    await host.apply(networks(wanted));
    expect(config()).toContain('"mtu":1500');
    expect(changed(await host.apply(networks(wanted)))).toEqual([]);
    edit("platform", '"mtu":1500', '"mtu":1400');
    await host.apply(networks(wanted));
    expect(config()).not.toContain('"mtu"');
  });
});
