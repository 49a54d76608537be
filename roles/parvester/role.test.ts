import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { machineOf } from "../../test/guards/examples.ts";
import { kubeconfigGone, noMachines } from "./destroy.ts";
import { parvesterExample } from "./parvester.fixture.ts";
import { summaryLines } from "./role.ts";

const data = { type: "directory", mode: "0700", owner: "root", group: "root" };
const machines = (...names: string[]) => ({
  kind: "VirtualMachineList",
  items: names.map((name) => machineOf(name, `${name}-disk`)),
});

test.each([
  ["no data", { data: absent }, false, undefined],
  ["no machines", { data, machines: machines() }, false, undefined],
  ["machines", { data, machines: machines("web") }, false, "machines-left"],
  ["machines whose loss is accepted", { data }, true, undefined],
  ["no answer", { data, machines: { error: { code: "ECONNREFUSED", message: "no" } } }, false, "cluster-not-seen"],
])("a server with %s", (_what, now, removeMachines, code) => {
  expect(explain(noMachines({ kubeconfig: "k", removeMachines }), now).refusal?.code).toBe(code);
});

test("a kubeconfig for another server stays when a cluster is destroyed", () => {
  const call = kubeconfigGone({ kubeconfig: "k", server: "https://10.0.0.1:6443" });
  const of = (server: string) => ({ copy: { server, ca: "a" }, keys: absent });
  expect(Object.keys(explain(call, of("https://10.0.0.1:6443")).change)).toEqual(['kubeconfig:{"path":"k"}']);
  const other = explain(call, of("https://10.0.0.2:6443"));
  expect([other.change, other.notes]).toEqual([
    {},
    ["the kubeconfig k stays: it is for another cluster, at https://10.0.0.2:6443"],
  ]);
});

test("a run ends with where the machines are, and says that they cannot migrate", () => {
  expect(summaryLines(parvesterExample(), "10.0.0.1")).toEqual([
    "Kubernetes API: https://10.0.0.1:6443, with the kubeconfig ./parvester-kubeconfig.yaml",
    "vm1: ssh admin@192.168.101.11",
    "console of a machine: virtctl --namespace default console vm1",
    expect.stringContaining("no machine can migrate"),
  ]);
});
