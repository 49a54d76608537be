import { expect, test } from "vitest";
import { type Json, playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { nodeRemoval } from "./role.ts";

const cluster = clusterSchema.parse({ disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p", nodes: 3 });
const book = playbook({
  name: "node removal alone",
  plays: [{ hosts: "all", become: true, tasks: () => [nodeRemoval({ cluster, node: "harvester-2" })] }],
});
const node = (name: string) => ({
  metadata: { name, labels: { "node-role.kubernetes.io/etcd": "true" } },
  status: { conditions: [{ type: "Ready", status: "True" }] },
});
const drivers = {
  kubernetes: (request: Json) => {
    const { path } = request as { readonly path: string };
    if (path === "/api/v1/nodes")
      return { found: true, object: { items: ["harvester-1", "harvester-2", "harvester-3"].map(node) } };
    return path.startsWith("/api/v1/nodes/") ? { found: true, object: node("harvester-2") } : { found: false };
  },
};

test("switches a node off before the cluster forgets it, so that it does not come back, and then records its removal", async () => {
  const { tasks } = await simulate(book, { hosts: ["metal"], drivers });
  expect(tasks.map(({ title, steps }) => [title, steps])).toEqual([
    ["whether /etc/furrow-harvester/harvester-2.removed exists", []],
    ["harvester-2 may leave", []],
    ["file /etc/furrow-harvester", ["make directory /etc/furrow-harvester"]],
    ["file /etc/furrow-maintenance", ["write /etc/furrow-maintenance"]],
    ["libvirtDomain harvester-2", []],
    ["harvester-2 is out of the cluster", ["cordon harvester-2", "delete node harvester-2"]],
    ["file /etc/furrow-harvester/harvester-2.removed", ["write /etc/furrow-harvester/harvester-2.removed"]],
  ]);
});

test("does not remove a node again, because the new node has the same name", async () => {
  const state = { metal: { "file:/etc/furrow-harvester/harvester-2.removed": { text: "" } } };
  const { tasks } = await simulate(book, { hosts: ["metal"], drivers, state });
  const left = tasks.filter(({ outcome }) => outcome !== "skipped").map(({ title }) => title);
  expect(left).toEqual([
    "whether /etc/furrow-harvester/harvester-2.removed exists",
    "file /etc/furrow-harvester",
    "file /etc/furrow-harvester/harvester-2.removed",
  ]);
});
