import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { Deployment } from "./deployment.ts";
import { nodesOf } from "./kubernetes.ts";

let deployment: Deployment;

beforeAll(async () => {
  deployment = await Deployment.up("harvester-growth", 3, "v1.7.1", "inventory/start.ts");
  await deployment.furrow("run");
}, 1_200_000);

afterAll(() => deployment.down(), 60_000);

/** What tells that a node was neither restarted, nor defined anew, nor given another disk. */
const identity = (): Promise<string> =>
  deployment.inHost(`cat /run/libvirt/qemu/harvester-1.pid; virsh dumpxml --inactive harvester-1
  stat -c '%i %W' /mnt/datadisk1/harvester-data.qcow2; findmnt -no UUID /mnt/datadisk1`);

describe("a cluster of one node", () => {
  test("becomes one of three: two join, and the first is left alone", { timeout: 1_200_000 }, async () => {
    const before = { said: await deployment.said("harvester-1"), identity: await identity() };
    await deployment.furrow("run", { playbook: "harvester-add-node", vars: ["nodes=3"] });
    expect({ said: await deployment.said("harvester-1"), identity: await identity() }).toEqual(before);
    for (const name of ["harvester-2", "harvester-3"])
      expect(await deployment.said(name)).toContain(`stand-in: ${name} has joined the cluster`);
    const roles = ["control-plane", "etcd"];
    expect(await nodesOf(deployment.kubeconfig)).toEqual(
      ["harvester-1", "harvester-2", "harvester-3"].map((name) => ({ name, ready: true, roles })),
    );
    const again = await deployment.furrow("run", { vars: ["nodes=3"] });
    expect(again.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    covered("two nodes added to a cluster of one");
  });

  test("does not become one of one node again by itself", { timeout: 300_000 }, async () => {
    for (const verb of ["check", "run"] as const) {
      const { code, text } = await deployment.start(verb, { vars: ["nodes=1"] }).ended;
      expect({ verb, code }).toEqual({ verb, code: 1 });
      expect(text).toContain("the host has harvester-2 and harvester-3, which a cluster of 1 does not have");
      expect(text).toContain("harvester-remove-node");
    }
    expect(await deployment.inHost("virsh -q list --name")).toBe("harvester-1\nharvester-2\nharvester-3");
    expect(await nodesOf(deployment.kubeconfig)).toHaveLength(3);
  });
});
