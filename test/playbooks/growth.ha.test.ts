import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../acceptance/harvester-host.ts";
import { covered } from "../covered.ts";
import { Deployment } from "./deployment.ts";
import { nodesOf } from "./kubernetes.ts";

let deployment: Deployment;

beforeAll(async () => {
  deployment = await Deployment.up("harvester-growth", 3, "v1.7.1", "inventory/start.ts");
  await deployment.furrow("run");
}, 1_200_000);

afterAll(() => deployment.down(), 60_000);

/** Values that change if a node is restarted or redefined, or gets another disk. */
const identity = (): Promise<string> =>
  deployment.inHost(`cat /run/libvirt/qemu/harvester-1.pid; virsh dumpxml --inactive harvester-1
  stat -c '%i %W' /mnt/datadisk1/harvester-data.qcow2; findmnt -no UUID /mnt/datadisk1`);

const names = ["harvester-1", "harvester-2", "harvester-3"];
const members = names.map((name) => ({ name, ready: true, roles: ["control-plane", "etcd"] }));

describe("a cluster of one node", () => {
  test("grows to three nodes: two join, and the first is left alone", { timeout: 1_200_000 }, async () => {
    const before = { said: await deployment.said("harvester-1"), identity: await identity() };
    await deployment.furrow("run", { playbook: "harvester-add-node", vars: ["nodes=3"] });
    expect({ said: await deployment.said("harvester-1"), identity: await identity() }).toEqual(before);
    for (const name of ["harvester-2", "harvester-3"])
      expect(await deployment.said(name)).toContain(`stand-in: ${name} has joined the cluster`);
    expect(await nodesOf(deployment.kubeconfig)).toEqual(members);
    const again = await deployment.furrow("run", { vars: ["nodes=3"] });
    expect(again.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    covered("two nodes added to a cluster of one");
  });

  test("does not shrink back to one node", { timeout: 300_000 }, async () => {
    for (const verb of ["check", "run"] as const) {
      const { code, text } = await deployment.start(verb, { vars: ["nodes=1"] }).ended;
      expect({ verb, code }).toEqual({ verb, code: 1 });
      expect(text).toContain("the host has harvester-2 and harvester-3, but the cluster must have only 1");
      expect(text).toContain("harvester-remove-node");
    }
    expect(await deployment.inHost("virsh -q list --name")).toBe(names.join("\n"));
    expect(await nodesOf(deployment.kubeconfig)).toHaveLength(3);
  });
});

/** Runs the playbook that reinstalls a node. */
const replace = { playbook: "harvester-replace-node" };

describe("a cluster of three nodes", () => {
  test(
    "refuses to replace a node while another node is down, because the cluster would lose its quorum",
    { timeout: 600_000 },
    async () => {
      await deployment.inHost("touch /etc/furrow-maintenance && virsh -q destroy harvester-2");
      const isDown = async (): Promise<boolean> =>
        (await nodesOf(deployment.kubeconfig)).some(({ name, ready }) => name === "harvester-2" && !ready);
      await until(isDown, 300);
      const before = await identity();
      for (const verb of ["check", "run"] as const) {
        const { code, text } = await deployment.start(verb, { ...replace, vars: ["nodes=3", "node=1"] }).ended;
        expect({ verb, code }).toEqual({ verb, code: 1 });
        expect(text).toContain("without harvester-1 only 1 of 3 voting nodes are up, but 2 are needed");
      }
      expect(await identity()).toBe(before);
    },
  );

  test("accepts a reinstalled node under its old name", { timeout: 1_200_000 }, async () => {
    const before = await deployment.said("harvester-2");
    await deployment.furrow("run", { ...replace, vars: ["nodes=3", "node=2"] });
    const said = (await deployment.said("harvester-2")).slice(before.length);
    const config = "http://192.168.130.1/nodes/52-54-00-68-76-02.yaml";
    expect(said[0]).toBe(`stand-in: harvester-2 (join) has its configuration from ${config}`);
    expect(said).toContain("stand-in: harvester-2 has joined the cluster");
    // The cluster lists the nodes in the order in which they joined.
    const found = await nodesOf(deployment.kubeconfig);
    expect(found.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(members);
    covered("one of three nodes reinstalled");
  });
});
