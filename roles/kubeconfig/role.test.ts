import { describe, expect, test } from "vitest";
import { absent, playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { kubeconfig, nodeHost, serverEdit } from "./role.ts";
import { firstNode } from "../cluster-ready/role.ts";

const cluster = clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p" });
const book = playbook({
  name: "kubeconfig alone",
  plays: [
    {
      hosts: "all",
      become: true,
      tasks: ({ host }) => [kubeconfig({ cluster, host: host.name, publicAddress: "203.0.113.10" })],
    },
  ],
});
const through = ["sed", "-e", serverEdit("203.0.113.10")];
const path = "/etc/rancher/rke2/rke2.yaml";
const node = {
  [`file:${path}`]: { text: "server: https://127.0.0.1:6443\n" },
  [`filtered:${JSON.stringify({ path, through })}`]: { seal: "sealed:1" },
};
const state = { metal: {}, "harvester-1.metal": node };

test("fetches the kubeconfig from the first node, through the host", async () => {
  const { tasks } = await simulate(book, { hosts: ["metal"], state });
  expect(tasks.map(({ title, outcome, steps }) => [title, outcome, steps])).toEqual([
    ["harvester-1 takes logins", "ok", []],
    ["port 22 on 192.168.130.11", "ok", []],
    ["kubeconfig ./harvester-kubeconfig.yaml", "changed", [`fetch ${path} to ./harvester-kubeconfig.yaml`]],
  ]);
  expect(nodeHost(cluster, firstNode(cluster), "metal")).toMatchObject({
    address: "192.168.130.11",
    via: "metal",
    user: "rancher",
  });
});

describe("check mode, while no node accepts logins yet,", () => {
  const closed = { metal: { "port:192.168.130.11 22 virbr1": { open: false } } };
  const checked = async (copy: unknown) => {
    const drivers = { file: () => copy };
    const { events } = await simulate(book, { hosts: ["metal"], state: closed, drivers, mode: "check" });
    return events.findLast((event) => event.type === "taskFinished");
  };
  const title = "kubeconfig ./harvester-kubeconfig.yaml";

  test("predicts that a missing kubeconfig is created, regardless of its content", async () => {
    expect(await checked(absent)).toMatchObject({ task: { title }, outcome: "changed" });
  });

  test("leaves it to the run to decide whether an existing kubeconfig belongs to this cluster", async () => {
    const there = { seal: "sealed:1", size: 1, path: "/home/me/kubeconfig", mode: "0600" };
    expect(await checked(there)).toMatchObject({
      task: { title },
      outcome: "undecided",
      dependsOn: { task: "a host that does not exist yet" },
    });
  });
});
