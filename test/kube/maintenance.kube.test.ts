import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeMaintenance } from "../../roles/node-maintenance/role.ts";
import { nodeMaintenanceSchema } from "../../roles/node-maintenance/vars.ts";
import { machineOf } from "../guards/examples.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { apply, makeNodes, patch, play, read } from "./actors.ts";
import { networkKinds, runningKinds } from "./harvester-kinds.ts";
import { maintenanceControllers, runningOn } from "./maintenance-actors.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;
const node = "harvester-2";

beforeAll(async () => {
  server = await ApiServer.up();
  apply(server, ...networkKinds, ...runningKinds);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  const roles = { "node-role.kubernetes.io/control-plane": "true", "node-role.kubernetes.io/etcd": "true" };
  makeNodes(server, { "harvester-1": roles, [node]: roles, "harvester-3": roles });
  for (const name of ["gpu", "web"]) {
    applyFile(name, "RerunOnFailure");
    apply(server, runningOn(name, node, name === "web"));
  }
  controllers = play(server, stop.signal, maintenanceControllers);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

const maintenance = (action: "enter" | "leave", more: object = {}) =>
  nodeMaintenance(
    nodeMaintenanceSchema.parse({ kubeconfig: server.kubeconfig(), node, action, deadlineSeconds: 60, ...more }),
  );
const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !/: (ok|skipped)$/.test(one));
const shutDown = ["default/gpu"];

interface Seen {
  readonly metadata: { readonly annotations?: object };
  readonly spec: { readonly runStrategy?: string; readonly unschedulable?: boolean; readonly taints?: object[] };
  readonly status: { readonly nodeName?: string };
}
const seen = (kind: string, name: string): Seen => read(server, kind, name) as Seen;

interface Managed {
  readonly metadata: { readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: object }[] };
}
/** The managers of a machine's `spec.runStrategy`. */
const owners = (name: string): readonly string[] =>
  (
    JSON.parse(server.kubectl(["get", "virtualmachine", name, "--show-managed-fields", "--output=json"])) as Managed
  ).metadata.managedFields
    .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('"f:runStrategy"'))
    .map(({ manager }) => manager);
/** Applies a machine without `force`, as an operator's file for the vms playbook does. */
function applyFile(name: string, runStrategy: string): string {
  const { metadata, spec } = machineOf(name) as { metadata: object; spec: object };
  const object = { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", metadata, spec: { ...spec, runStrategy } };
  const file = JSON.stringify(object);
  return server.kubectl(["apply", "--server-side", "--field-manager=furrow-machines", "--filename=-"], file);
}

describe("the maintenance of a node", () => {
  test("is refused, and nothing changes, if a machine that cannot migrate is not listed", async () => {
    const before = [read(server, "nodes"), read(server, "virtualmachines")];
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](maintenance("enter"));
      expect(ends).toHaveLength(1);
      expect(ends[0]?.error?.message).toContain(
        "1 virtual machine on harvester-2 cannot move: default/gpu (HostDeviceNotLiveMigratable: VMI uses a PCI host devices)",
      );
    }
    expect([read(server, "nodes"), read(server, "virtualmachines")]).toEqual(before);
  });

  test("is refused before a machine is shut down, if the user may change machines but not nodes", async () => {
    const rules = (verbs: string, ...resources: string[]) => [
      "create",
      "clusterrole",
      verbs.replaceAll(",", "-"),
      `--verb=${verbs}`,
      ...resources.map((one) => `--resource=${one}`),
    ];
    server.kubectl(rules("get,list", "*.*"));
    server.kubectl(rules("patch", "virtualmachines.kubevirt.io"));
    for (const name of ["get-list", "patch"])
      server.kubectl(["create", "clusterrolebinding", name, `--clusterrole=${name}`, "--user=guest"]);
    const before = [read(server, "nodes"), read(server, "virtualmachines")];
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](maintenance("enter", { shutDown, kubeconfig: server.kubeconfig("guest") }));
      expect(outcomes(ends)).toEqual([
        "harvester-2 may enter maintenance: ok",
        expect.stringMatching(
          /^the cluster accepts the changes: failed: .*nodes "harvester-2" is forbidden: User "guest" cannot patch resource "nodes"/,
        ),
      ]);
    }
    expect([read(server, "nodes"), read(server, "virtualmachines")]).toEqual(before);
  });

  test("moves what can move and shuts down what is listed; check mode says the same, and a second run changes nothing", async () => {
    const checked = await host.check(maintenance("enter", { shutDown }));
    const applied = await host.apply(maintenance("enter", { shutDown }));
    expect(outcomes(applied)).toEqual([
      "harvester-2 may enter maintenance: ok",
      "the cluster accepts the changes: ok",
      "shut the listed machines down: changed",
      "the listed machines are off: ok",
      "Harvester has a maintenance request for harvester-2: changed",
      "harvester-2 is in maintenance: ok",
    ]);
    expect(outcomes(checked)).toEqual(outcomes(applied));
    expect(checked[0]?.notes).toEqual([
      "default/gpu is shut down, because shutDown names it, and starts again when the maintenance ends",
      "default/web migrates to another node",
    ]);
    expect(applied.at(-1)?.notes.join()).toContain("harvester-2 is empty: work on it");
    expect(seen("virtualmachineinstance", "web").status.nodeName).toBe("harvester-1");
    expect(seen("virtualmachine", "gpu").spec.runStrategy).toBe("Halted");
    const again = [...(await host.check(maintenance("enter"))), ...(await host.apply(maintenance("enter")))];
    expect(changedIn(again)).toEqual([]);
    expect(again[0]?.notes).toEqual(["harvester-2 is in maintenance already"]);
  });

  test("is refused for a second node", async () => {
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](maintenance("enter", { node: "harvester-3" }));
      expect(changedIn(ends).join()).toContain("harvester-2 is in maintenance, or will be");
    }
  });

  test("ends: the machine starts again as before, and settings that others made on the node stay", async () => {
    const taint = { key: "example.org/own", effect: "PreferNoSchedule" };
    const drain = { key: "kubevirt.io/drain", effect: "NoSchedule" };
    const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
    patch(server, "node", node, { spec: { taints: [taint, drain, cordon] } });
    const checked = await host.check(maintenance("leave"));
    const applied = await host.apply(maintenance("leave"));
    expect(outcomes(applied)).toEqual([
      "harvester-2 may leave maintenance: ok",
      "the cluster accepts the changes: ok",
      "harvester-2 is in service: changed",
      "the refused request for the maintenance of harvester-2 is removed: skipped",
      "start the machines again: changed",
    ]);
    expect(outcomes(checked)).toEqual(outcomes(applied));
    const own = seen("node", node);
    expect(own.spec).toMatchObject({ taints: [taint, cordon] });
    expect(own.spec.unschedulable).toBeUndefined();
    expect(JSON.stringify(own.metadata.annotations ?? {})).not.toMatch(/furrow|harvesterhci/);
    const gpu = seen("virtualmachine", "gpu");
    expect(gpu.spec.runStrategy).toBe("RerunOnFailure");
    expect(JSON.stringify(gpu.metadata.annotations ?? {})).not.toContain("furrow");
    expect(owners("gpu").toSorted()).toEqual(["furrow-machines"]);
    const again = [...(await host.check(maintenance("leave"))), ...(await host.apply(maintenance("leave")))];
    expect(changedIn(again)).toEqual([]);
  });

  test("leaves spec.runStrategy to its owner: the vms file can halt the machine afterwards", () => {
    expect(applyFile("gpu", "Halted")).toContain("serverside-applied");
    expect(owners("gpu")).toEqual(["furrow-machines"]);
  });

  test("ends: a machine that its file has set to Halted in the meantime stays off", async () => {
    applyFile("gpu", "RerunOnFailure");
    const runs = () => JSON.stringify(read(server, "virtualmachineinstances")).includes('"name":"gpu"');
    await expect.poll(runs, { timeout: 30_000 }).toBe(true);
    expect(changedIn(await host.apply(maintenance("enter", { shutDown }))).join()).not.toContain("failed");
    applyFile("gpu", "Halted");
    const ends = [await host.check(maintenance("leave")), await host.apply(maintenance("leave"))];
    for (const [first] of ends)
      expect(first?.notes).toContain(
        "default/gpu STAYS OFF: furrow-machines has set its run strategy to Halted since it was shut down",
      );
    const gpu = seen("virtualmachine", "gpu");
    expect(gpu.spec.runStrategy).toBe("Halted");
    expect(JSON.stringify(gpu.metadata.annotations ?? {})).not.toContain("furrow");
    expect(owners("gpu")).toEqual(["furrow-machines"]);
  });
});
