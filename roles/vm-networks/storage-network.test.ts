import { describe, expect, test } from "vitest";
import { answersOf, instanceOf, type Objects, soundCluster, volumeOf } from "../../test/guards/examples.ts";
import { networkConfigOf } from "../../test/guards/network-examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { storageNetwork, storageNetworkFits } from "./storage-network.ts";
import { storageNetworkReady } from "./storage-network-ready.ts";

describe("Longhorn's storage network", () => {
  const storage = { clusterNetwork: "vm", vlan: 60, range: "10.10.60.0/24", exclude: [] as string[] };
  const setting = (value: string): object => ({
    found: true,
    object: { kind: "Setting", metadata: { name: "storage-network", resourceVersion: "7" }, value },
  });
  const ask = (value: string, cluster: Partial<Objects> = {}, more: Partial<typeof storage> = {}): Explanation =>
    explain(storageNetwork({ kubeconfig: "k", storage: { ...storage, ...more }, configs: [] }), {
      ...answersOf({ ...soundCluster, ...cluster }),
      setting: setting(value),
      trial: { accepted: true },
    });
  const message = "the cluster denies the change to Setting storage-network: vlan 60 is taken (webhook v)";
  const denied = { refused: { code: "denied", message, hint: "Fix the problem that the cluster reports, then rerun" } };
  const wanted = {
    name: "lan",
    clusterNetwork: "vm",
    nodes: {},
    nics: ["ens2"],
    mtu: 1500,
    bond: "active-backup" as const,
  };

  test("is refused if Harvester would not accept it", () => {
    const now = { ...answersOf(soundCluster), setting: setting(""), trial: denied, others: true };
    const { refusal, facts } = explain(storageNetwork({ kubeconfig: "k", storage, configs: [] }), now);
    expect(refusal).toMatchObject({ code: "denied", message });
    expect(facts.filter((fact) => fact.includes("tried"))).toHaveLength(1);
  });

  test("is not refused in check mode if Harvester denies it because an earlier task has yet to create its network", () => {
    const now = { ...answersOf(soundCluster), setting: setting(""), trial: denied, others: undefined };
    const { refusal, described } = explain(storageNetwork({ kubeconfig: "k", storage, configs: [] }), now);
    expect([refusal, described]).toEqual([undefined, ["set the storage network"]]);
  });

  test.each([
    ["before anything changes, if its network exists already", {}, message],
    ["only after its network is created, if it does not exist yet", { name: "new" }, undefined],
    ["only after its network is changed, if it has other interfaces", { nics: ["ens2", "ens3"] }, undefined],
    ["only after its network is changed, if it is for fewer nodes", { nodes: { role: "storage" } }, undefined],
    ["only after its network is changed, if it has another MTU", { mtu: 9000 }, undefined],
  ])("is refused %s", (_when, more, says) => {
    const networkConfigs = [networkConfigOf("lan", "vm", ["ens2"], {}), networkConfigOf("other", "vm", ["ens9"], {})];
    const now = {
      ...answersOf({ ...soundCluster, networkConfigs }),
      setting: setting(""),
      trial: denied,
      others: true,
    };
    const configs = [{ ...wanted, ...more }];
    const { refusal, facts } = explain(storageNetworkFits({ kubeconfig: "k", storage, configs }), now);
    const isAsked = facts.some((fact) => fact.includes("tried"));
    expect([isAsked, isAsked ? refusal?.message : undefined]).toEqual([says !== undefined, says]);
  });

  test("is set if nothing uses a volume", () => {
    const { refusal, described, notes, steps } = ask("");
    expect(refusal).toBeUndefined();
    expect(described).toEqual(["set the storage network"]);
    // The server refuses the change if somebody else has changed the setting since it was read.
    expect(steps).toMatchObject([{ request: { body: { metadata: { resourceVersion: "7" } } } }]);
    expect(notes).toEqual(["Longhorn's pods restart, and pods that use volumes stop while the network changes"]);
  });

  test("stays as it is if the setting means the same in another spelling, even while machines are running", () => {
    const spelt = '{ "range": "10.10.60.0/24", "vlan": 60, "clusterNetwork": "vm", "exclude": [] }';
    const { refusal, described } = ask(spelt, { instances: [instanceOf("web", "harvester-1")] });
    expect([refusal, described]).toEqual([undefined, []]);
  });

  test("is not changed while machines are running or volumes are in use, and the refusal names them", () => {
    const instances = [instanceOf("web", "harvester-1"), instanceOf("db", "harvester-2")];
    expect(ask("", { instances, volumes: [volumeOf("pvc-7")] }).refusal?.message).toBe(
      "the storage network cannot be changed: virtual machines are running: default/db, default/web; volumes are in use: pvc-7 (attached)",
    );
  });

  test("is refused if a node would not have it, or if it has too few addresses", () => {
    const networkConfigs = [
      networkConfigOf("old", "vm", ["ens2"], { nodeSelector: { "kubernetes.io/hostname": "harvester-1" } }),
    ];
    expect(ask("", { networkConfigs }).refusal?.message).toContain("harvester-2, harvester-3 would not have vm");
    expect(
      ask("", {}, { range: "10.10.60.0/27", exclude: ["10.10.60.0/28", "10.10.60.16/29"] }).refusal?.message,
    ).toContain("10.10.60.0/27 leaves 8 addresses, and 3 nodes need 12");
  });

  test("is ready once Harvester has created it and configured Longhorn", () => {
    const wait = (made: object[], status: string): string | undefined =>
      explain(storageNetworkReady({ kubeconfig: "k", storage }), {
        ...answersOf({ ...soundCluster, vmNetworks: made }),
        setting: {
          found: true,
          object: {
            kind: "Setting",
            metadata: { name: "storage-network" },
            status: { conditions: [{ type: "configured", status, message: "waits for pods" }] },
          },
        },
      }).refusal?.message;
    const made = (vlan: number): object => ({
      metadata: { namespace: "harvester-system", name: "storagenetwork-95bj4" },
      spec: { config: JSON.stringify({ type: "bridge", bridge: "vm-br", vlan, ipam: { range: "10.10.60.0/24" } }) },
    });
    expect(wait([made(60)], "True")).toBeUndefined();
    expect(wait([made(60)], "False")).toBe("Harvester has not finished configuring Longhorn: waits for pods");
    expect(wait([made(59)], "True")).toContain(
      "Harvester has not created the network with VLAN 60 and 10.10.60.0/24 on vm",
    );
  });

  test("is not ready while only the previous network exists, which excluded other addresses", () => {
    expect(ready({ exclude: ["10.10.60.0/28"] })).toContain(
      "Harvester has not created the network with VLAN 60 and 10.10.60.0/24 without 10.10.60.0/28 on vm",
    );
    expect(ready({ exclude: ["10.10.60.0/28"], made: ["10.10.60.0/28"] })).toBeUndefined();
    expect(ready({ made: ["10.10.60.0/28"] })).toContain("has not created the network");
  });

  test("is not ready while Harvester's last report is older than the value", () => {
    const changed = { time: "2026-11-28T01:00:00Z", fieldsV1: { "f:value": {} } };
    const report = (time: string): object => ({ time, fieldsV1: { "f:status": {} } });
    expect(ready({ managedFields: [report("2026-11-28T00:59:00Z"), changed] })).toBe(
      "Harvester has not reported the state of the storage-network setting since it changed at 2026-11-28T01:00:00Z",
    );
    expect(ready({ managedFields: [changed, report("2026-11-28T01:00:05Z")] })).toBeUndefined();
  });

  interface Scene {
    readonly exclude?: string[];
    readonly made?: string[];
    readonly managedFields?: object[];
  }

  function ready({ exclude = [], made, managedFields = [] }: Scene): string | undefined {
    const ipam = { type: "whereabouts", range: storage.range, ...(made && { exclude: made }) };
    const config = JSON.stringify({ type: "bridge", bridge: "vm-br", vlan: storage.vlan, ipam });
    const metadata = { namespace: "harvester-system", name: "storagenetwork-95bj4" };
    return explain(storageNetworkReady({ kubeconfig: "k", storage: { ...storage, exclude } }), {
      ...answersOf({ ...soundCluster, vmNetworks: [{ metadata, spec: { config } }] }),
      setting: {
        found: true,
        object: {
          kind: "Setting",
          metadata: { name: "storage-network", managedFields },
          status: { conditions: [{ type: "configured", status: "True" }] },
        },
      },
    }).refusal?.message;
  }
});
