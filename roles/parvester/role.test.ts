import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { instanceOf, machineOf } from "../../test/guards/examples.ts";
import { kubeconfigGone } from "./destroy.ts";
import { leavingOutdated, noMachines } from "./no-machines.ts";
import { parvesterExample } from "./parvester.fixture.ts";
import { summaryLines } from "./role.ts";

const data = { type: "directory", mode: "0700", owner: "root", group: "root" };
const machines = (...names: string[]) => ({
  kind: "VirtualMachineList",
  items: names.map((name) => machineOf(name, `${name}-disk`)),
});

const instances = { kind: "VirtualMachineInstanceList", items: [] as object[] };
const bare = { instances, data: absent, authority: absent, volumes: absent, leaving: absent };
const server = { ...bare, data, authority: data };
const agent = { ...bare, authority: data, volumes: data };
const unseen = { error: { code: "ECONNREFUSED", message: "no" } };

test.each([
  ["a host without data", bare, {}, undefined],
  ["a server without machines", { ...server, machines: machines() }, {}, undefined],
  ["a server with machines", { ...server, machines: machines("web") }, {}, "machines-left"],
  ["a server with machines whose loss is accepted", server, { removeMachines: true }, undefined],
  ["a server whose cluster does not answer", { ...server, machines: unseen }, {}, "cluster-not-seen"],
  ["an agent with machines", { ...agent, machines: machines("web") }, {}, "machines-left"],
  ["an agent whose cluster does not answer", { ...agent, machines: unseen }, {}, "cluster-not-seen"],
  ["volumes that stay", { ...bare, volumes: data }, {}, undefined],
  ["volumes that go", { ...bare, volumes: data, machines: unseen }, { removeVolumes: true }, "cluster-not-seen"],
  ["a silent cluster whose destruction has begun", { ...server, leaving: data, machines: unseen }, {}, undefined],
  [
    "a server with a machine that has no VirtualMachine",
    { ...server, machines: machines(), instances: { ...instances, items: [instanceOf("web", "node-1")] } },
    {},
    "machines-left",
  ],
  [
    "a cluster whose destruction has begun, with new machines",
    { ...server, leaving: data, machines: machines("web") },
    {},
    "machines-left",
  ],
])("the guard of a destruction, for %s", (_what, now, vars, code) => {
  const call = noMachines({ kubeconfig: "k", removeMachines: false, removeVolumes: false, ...vars });
  expect(explain(call, now).refusal?.code).toBe(code);
});

test.each(["no-kubeconfig", "HTTP 403", "ENOTFOUND", "HTTP 404"])(
  "the guard does not trust the note of a destruction that has begun, if the answer is %s",
  (code) => {
    const call = noMachines({ kubeconfig: "k", removeMachines: false, removeVolumes: false });
    const now = { ...server, leaving: data, machines: { error: { code, message: "no" } } };
    expect(explain(call, now).refusal?.code).toBe("cluster-not-seen");
  },
);

test.each([
  [
    "the cluster has machines again",
    { leaving: data, machines: machines("web") },
    ["file:/var/lib/furrow-rke2/leaving"],
  ],
  ["the cluster has no machines", { leaving: data, machines: machines() }, []],
  ["the cluster is silent", { leaving: data, machines: unseen }, []],
  ["there is no note", { leaving: absent }, []],
])(
  "the note of an interrupted destruction is removed only if the cluster has machines again: %s",
  (_what, now, changed) => {
    expect(Object.keys(explain(leavingOutdated({ kubeconfig: "k" }), { instances, ...now }).change)).toEqual(changed);
  },
);

test("a kubeconfig for another server stays when a cluster is destroyed", () => {
  const call = kubeconfigGone({ kubeconfig: "k", server: "https://10.0.0.1:6443" });
  const of = (server: string) => ({ copy: { server, ca: "a" }, keys: absent });
  expect(Object.keys(explain(call, of("https://10.0.0.1:6443")).change)).toEqual(['kubeconfig:{"path":"k"}']);
  const merged = { ...of("https://10.0.0.1:6443").copy, others: ["production"] };
  expect(explain(call, { copy: merged, keys: absent })).toMatchObject({
    change: {},
    notes: ["the kubeconfig k stays: it also has other contexts (production); remove this cluster from it yourself"],
  });
  const other = explain(call, of("https://10.0.0.2:6443"));
  expect([other.change, other.notes]).toEqual([
    {},
    ["the kubeconfig k stays: it is for another cluster, at https://10.0.0.2:6443"],
  ]);
});

test("a run ends by saying where the machines are, and that they cannot migrate", () => {
  expect(summaryLines(parvesterExample(), "10.0.0.1")).toEqual([
    "Kubernetes API: https://10.0.0.1:6443, with the kubeconfig ./parvester-kubeconfig.yaml",
    "vm1: ssh admin@192.168.101.11",
    "console of a machine: virtctl --namespace default console vm1",
    expect.stringContaining("machines cannot migrate"),
  ]);
});
