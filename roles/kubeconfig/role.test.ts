import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
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

test("fetches it from the first node, over the host", async () => {
  const { tasks } = await simulate(book, { hosts: ["metal"], state });
  expect(tasks.map(({ title, outcome, steps }) => [title, outcome, steps])).toEqual([
    ["waitFor port 22 of 192.168.130.11", "ok", []],
    ["port 22 of 192.168.130.11", "ok", []],
    ["kubeconfig ./harvester-kubeconfig.yaml", "changed", [`fetch ${path} to ./harvester-kubeconfig.yaml`]],
  ]);
  expect(nodeHost(cluster, firstNode(cluster), "metal")).toMatchObject({
    address: "192.168.130.11",
    via: "metal",
    user: "rancher",
  });
});

test("in check mode, where no node takes logins yet, only a run can tell", async () => {
  const closed = { metal: { "port:192.168.130.11 22 virbr1": { open: false } } };
  const { tasks } = await simulate(book, { hosts: ["metal"], state: closed, mode: "check" });
  expect(tasks.at(-1)).toMatchObject({ title: "kubeconfig ./harvester-kubeconfig.yaml", outcome: "decided" });
});
