import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterLists } from "../../roles/cluster-answers/answers.ts";
import { until } from "../acceptance/harvester-host.ts";
import { covered } from "../covered.ts";
import { machineOf, persistentVolumeOf, replicaOf, volumeOf } from "../guards/examples.ts";
import { Deployment } from "./deployment.ts";
import { ask, nodesOf } from "./kubernetes.ts";

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

  test("does not shrink back to one node", async () => {
    for (const verb of ["check", "run"] as const) {
      const { code, text } = await deployment.start(verb, { vars: ["nodes=1"] }).ended;
      expect({ verb, code }).toEqual({ verb, code: 1 });
      expect(text).toContain("the host has harvester-2 and harvester-3, but the vars list only harvester-1");
      expect(text.replaceAll(/\s+/g, " ")).toContain("harvester-remove-node");
    }
    expect(await deployment.inHost("virsh -q list --name")).toBe(names.join("\n"));
    expect(await nodesOf(deployment.kubeconfig)).toHaveLength(3);
  });
});

/** Runs the playbook that reinstalls a node. */
const replace = { playbook: "harvester-replace-node" };

describe("a cluster of three nodes", () => {
  test("refuses to replace a node while another node is down, because the cluster would lose its quorum", async () => {
    await deployment.inHost("touch /etc/furrow-maintenance && virsh -q destroy harvester-2");
    const isDown = async (): Promise<boolean> =>
      (await nodesOf(deployment.kubeconfig)).some(({ name, ready }) => name === "harvester-2" && !ready);
    await until(isDown, 300);
    const before = await identity();
    for (const verb of ["check", "run"] as const) {
      const { code, text } = await deployment.start(verb, { ...replace, vars: ["nodes=3", "node=1"] }).ended;
      expect({ verb, code }).toEqual({ verb, code: 1 });
      expect(text).toContain("without harvester-1 only 1 of 3 voting nodes is up, but 2 are needed");
    }
    expect(await identity()).toBe(before);
  });

  test("accepts a reinstalled node under its old name", { timeout: 1_200_000 }, async () => {
    const before = await deployment.said("harvester-2");
    await deployment.furrow("run", { ...replace, vars: ["nodes=3", "node=2"] });
    const said = (await deployment.said("harvester-2")).slice(before.length);
    const config = "http://192.168.130.1/nodes/52-54-00-68-76-02.yaml";
    expect(said[0]).toBe(`stand-in: harvester-2 (join) got its configuration from ${config}`);
    expect(said).toContain("stand-in: harvester-2 has joined the cluster");
    // The cluster lists the nodes in the order in which they joined.
    const found = await nodesOf(deployment.kubeconfig);
    expect(found.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(members);
    covered("one of three nodes reinstalled");
  });

  test(
    "does not remove a node with the only copy of some data, unless the loss of that data is accepted by name",
    { timeout: 1_200_000 },
    async () => {
      const { kubeconfig } = deployment;
      await ask(kubeconfig, clusterLists.volumes.path, volumeOf("pvc-alone", "detached"));
      const replica = replicaOf("pvc-alone", "harvester-3", { currentState: "stopped" });
      await ask(kubeconfig, clusterLists.replicas.path, replica);
      await ask(kubeconfig, clusterLists.persistentVolumes.path, persistentVolumeOf("pvc-alone", "disk"));
      await ask(kubeconfig, "/apis/kubevirt.io/v1/namespaces/default/virtualmachines", machineOf("web", "disk"));
      const remove = (...vars: string[]) => ({
        playbook: "harvester-remove-node",
        vars: ["nodes=3", "node=3", ...vars],
      });
      const refused = async (verb: "check" | "run", ...vars: string[]): Promise<string> => {
        const { code, text } = await deployment.start(verb, remove(...vars)).ended;
        expect({ verb, code }).toEqual({ verb, code: 1 });
        return text.replaceAll(/\s+/g, " ");
      };
      const lost = "pvc-alone (10 GiB; its only healthy replica is on harvester-3; used by default/web)";
      for (const verb of ["check", "run"] as const)
        expect(await refused(verb)).toContain(`without harvester-3 these would be lost: 1 volume: ${lost}`);
      expect(await refused("check", 'acceptLoss=["pvc-alone","pvc-alnoe"]')).toContain("does not have: pvc-alnoe");
      expect(await deployment.inHost("virsh -q list --name | sort")).toBe(names.join("\n"));
      await deployment.furrow("run", remove('acceptLoss=["pvc-alone"]'));
      const left = await nodesOf(kubeconfig);
      expect(left.map(({ name }) => name).toSorted()).toEqual(names.slice(0, 2));
      expect(await deployment.inHost("virsh -q list --all --name | sort")).toBe(names.slice(0, 2).join("\n"));
      const rest = { playbook: "harvester-shutdown", vars: ["nodes=3", "removedNodes=[3]"] };
      const { code, text } = await deployment.start("check", rest).ended;
      expect({ code, text: code === 0 ? "" : text }).toEqual({ code: 0, text: "" });
      covered("one of three nodes removed, along with the only copy of a volume");
    },
  );
});
