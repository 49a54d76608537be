import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { explain, simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { powerOrder } from "../cluster/places.ts";
import { noWorkloads } from "./no-workloads.ts";
import { powerOff, usualOrder } from "./role.ts";

const given = { disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p", nodes: 3 };
const cluster = clusterSchema.parse(given);
const book = playbook({
  name: "power off alone",
  plays: [{ hosts: "all", become: true, tasks: () => [powerOff({ cluster, force: true })] }],
});

test("switches a witness off first, then the nodes from the last to the first", () => {
  expect(usualOrder(cluster)).toEqual(["harvester-3", "harvester-2", "harvester-1"]);
  expect(usualOrder(clusterSchema.parse({ ...given, witness: true }))).toEqual([
    "harvester-3",
    "harvester-2",
    "harvester-1",
  ]);
});

test("stops the watchdog and records the order before it switches off the first node", async () => {
  const { tasks, state } = await simulate(book, { hosts: ["metal"], mode: "check" });
  expect(tasks.slice(0, 3).map(({ title }) => title)).toEqual([
    "file /etc/furrow-harvester",
    "file /etc/furrow-maintenance",
    "shutdown order",
  ]);
  expect(state["metal"]?.[`file:${powerOrder}`]).toBeUndefined();
});

test("keeps a recorded order unless it names other nodes", async () => {
  const recorded = { metal: { [`file:${powerOrder}`]: { text: "harvester-2\nharvester-3\nharvester-1\n" } } };
  const kept = await simulate(book, { hosts: ["metal"], state: recorded, mode: "check" });
  expect(kept.tasks.find(({ title }) => title === "shutdown order")).toMatchObject({ outcome: "ok" });
  const others = { metal: { [`file:${powerOrder}`]: { text: "a\nb\n" } } };
  const made = await simulate(book, { hosts: ["metal"], state: others, mode: "check" });
  expect(made.tasks.find(({ title }) => title === "shutdown order")).toMatchObject({ outcome: "changed" });
});

test("does not switch off a cluster that is in use", () => {
  const call = noWorkloads({ kubeconfig: "k" });
  const none = { found: false };
  const machines = {
    found: true,
    object: { items: [{ metadata: { namespace: "default", name: "web" }, status: {} }] },
  };
  const volumes = { found: true, object: { items: [{ metadata: { name: "pvc-1" }, status: { state: "attached" } }] } };
  expect(explain(call, { machines: none, volumes: none }).refusal).toBeUndefined();
  expect(explain(call, { machines, volumes: none }).refusal?.message).toBe("virtual machines run: default/web");
  expect(explain(call, { machines: none, volumes }).refusal?.message).toBe("volumes are in use: pvc-1");
});
