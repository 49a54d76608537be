import { describe, expect, test } from "vitest";
import { absent, type Json, playbook } from "../../src/authoring.ts";
import { newOpenSshKey } from "../../src/core/secrets/openssh-key.ts";
import { pendingSecrets, reveal } from "../../src/core/secrets/secret.ts";
import { nodeConfig } from "../harvester-config/node-config.ts";
import { explain, simulate } from "../../src/testing/index.ts";
import { answerFor, soundCluster } from "../../test/guards/examples.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { nodeKubeconfig, serverEdit } from "./node-kubeconfig.ts";
import { kubeconfig, nodeHost } from "./role.ts";
import { firstNode } from "../cluster-ready/role.ts";

const mine = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux me";
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
const answers = { kubernetes: (request: Json) => answerFor(soundCluster, request as { readonly path: string }) };
const state = { metal: {}, "harvester-1.metal": node };

test("fetches the kubeconfig from the first node, through the host", async () => {
  const { tasks } = await simulate(book, { hosts: ["metal"], state, drivers: answers });
  expect(tasks.map(({ title, outcome, steps }) => [title, outcome, steps])).toEqual([
    ["harvester-1 accepts logins", "ok", []],
    ["port 22 on 192.168.130.11", "ok", []],
    [
      "kubeconfig ./harvester-kubeconfig.yaml",
      "changed",
      [`fetch ${path} to ./harvester-kubeconfig.yaml.unchecked`, "accept it as ./harvester-kubeconfig.yaml"],
    ],
    ["the kubeconfig reaches the requested cluster", "ok", []],
  ]);
  expect(nodeHost(cluster, firstNode(cluster), "metal")).toMatchObject({
    address: "192.168.130.11",
    via: "metal",
    user: "rancher",
  });
});

test("a copy that equals the node's file is still refused if it contains a field that no node's kubeconfig has", () => {
  const call = nodeKubeconfig({ to: "k", publicAddress: "203.0.113.10" });
  const now = { path: { type: "file" }, made: { seal: "sealed:1" }, copy: { seal: "sealed:1", mode: "0600" } };
  const kept = { server: "https://203.0.113.10:6443", ca: "a" };
  expect(explain(call, { ...now, kept }).change).toEqual({});
  expect(explain(call, { ...now, kept: { ...kept, foreign: "tokenFile" } }).refusal).toMatchObject({
    code: "foreign-kubeconfig",
    current: "tokenFile",
  });
});

test("an inventory without any key: the nodes accept a key of furrow's own, which furrow offers before all others", () => {
  const { os } = nodeConfig(cluster, firstNode(cluster), "203.0.113.10");
  for (const { settle, source } of pendingSecrets())
    settle(source.from === "generatedKey" ? newOpenSshKey("node") : "grainofsalt");
  expect(os.ssh_authorized_keys?.map((key) => reveal(key))).toEqual([expect.stringMatching(/^ssh-ed25519 AAAA/)]);
  const { identityFile, password } = nodeHost(cluster, firstNode(cluster), "metal");
  expect(identityFile).toEqual(["generated:harvester/harvester/node-key"]);
  // A node that another controller installed does not accept this key, but still accepts the password.
  expect(reveal(password ?? "")).toBe("p");
});

test("the user's own key and password come after furrow's own key", () => {
  const own = clusterSchema.parse({
    disks: ["/dev/a"],
    token: "t",
    password: "p",
    sshAuthorizedKeys: [mine],
    kubeconfig: { identityFile: "~/.ssh/mine", password: "changed" },
  });
  const { os } = nodeConfig(own, firstNode(own), "203.0.113.10");
  expect(os.ssh_authorized_keys).toHaveLength(2);
  expect(os.ssh_authorized_keys?.[1]).toBe(mine);
  const { identityFile, password } = nodeHost(own, firstNode(own), "metal");
  expect(identityFile).toEqual(["generated:harvester/harvester/node-key", "~/.ssh/mine"]);
  expect(reveal(password ?? "")).toBe("changed");
});

describe("check mode, while no node accepts logins yet,", () => {
  const closed = { metal: { "port:192.168.130.11 22 virbr1": { open: false } } };
  const checked = async (copy: unknown) => {
    const drivers = { file: () => copy };
    const { events } = await simulate(book, { hosts: ["metal"], state: closed, drivers, mode: "check" });
    return events.find((event) => event.type === "taskFinished" && event.task.title === title);
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
