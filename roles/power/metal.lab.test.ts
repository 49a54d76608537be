import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostLeader, type Lab, labDown, labUp } from "../../src/lab/index.ts";
import { Issuer } from "../../test/issued.ts";
import { nodeOf } from "../../test/guards/examples.ts";
import { AnsweringServer } from "../../test/kube/server/answering-server.ts";
import { RedfishServer } from "../../test/power/redfish-server.ts";
import { labTaskHost, taskHost } from "../../test/tasks/on-host.ts";
import { metalSchema } from "./metal.ts";
import { powerOffMetal, systemShutDown } from "./metal-off.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-metal-"));
const cluster = new AnsweringServer();
const controllers = [new RedfishServer(), new RedfishServer()];
const name = "metal-off";
let lab: Lab;
beforeAll(async () => {
  const issuer = new Issuer(folder);
  issuer.authority("ca");
  issuer.issue("bmc", "ca", "IP:127.0.0.1");
  for (const one of controllers) await one.up({ cert: issuer.text("bmc.crt"), key: issuer.text("bmc.key") });
  await cluster.up();
  lab = await labUp({ hosts: 1, name, replace: true });
});
afterAll(async () => {
  await labDown({ name });
  cluster.down();
  for (const one of controllers) one.down();
  rmSync(folder, { recursive: true });
});

const lists = (instances: readonly object[] = []): void => {
  const list = (kind: string, items: readonly object[]) => [
    { status: 200, body: { kind: `${kind}List`, metadata: {}, items } },
  ];
  cluster.said = {
    "GET /api/v1/nodes": list(
      "Node",
      ["n1", "n2"].map((name) => nodeOf(name, { address: "127.0.0.1" })),
    ),
    "GET /apis/kubevirt.io/v1/virtualmachineinstances": list("VirtualMachineInstance", instances),
    "GET /apis/longhorn.io/v1beta2/namespaces/longhorn-system/volumes": list("Volume", []),
    "GET /apis/harvesterhci.io/v1beta1/namespaces/harvester-system/upgrades": list("Upgrade", []),
  };
};

test("nodes with a controller are switched off in order, exactly once, as check mode predicted; with a guest running, all stay on", async () => {
  const ca = readFileSync(join(folder, "ca.crt"), "utf8");
  const order: string[] = [];
  const vars = metalSchema.parse({
    kubeconfig: cluster.kubeconfig,
    record: join(folder, "shutdown.json"),
    nodes: controllers.map((one, at) => ({
      name: `n${at + 1}`,
      address: "127.0.0.1",
      redfish: { url: one.url, ...one.login, caCert: ca },
    })),
  });
  const host = taskHost();
  lists([{ metadata: { namespace: "default", name: "web" }, spec: {}, status: { phase: "Running", nodeName: "n1" } }]);
  for (const mode of ["check", "apply"] as const)
    expect((await host[mode](powerOffMetal(vars))).map(({ error }) => error?.failure.details)).toEqual([
      ["refused: machines-running"],
    ]);
  expect(controllers.map(({ power }) => power)).toEqual(["On", "On"]);
  lists();
  expect((await host.check(powerOffMetal(vars))).map(({ outcome }) => outcome)).toEqual([
    "changed",
    "changed",
    "changed",
  ]);
  expect(controllers.flatMap(({ seen }) => seen.filter((one) => one.startsWith("POST")))).toEqual([]);
  controllers.forEach((one, at) => {
    one.onReset = () => void order.push(`n${at + 1}`);
  });
  const applied = await host.apply(powerOffMetal(vars));
  expect(applied.map(({ outcome, error }) => error ?? outcome)).toEqual(["changed", "changed", "changed"]);
  expect(order).toEqual(["n2", "n1"]);
  expect(controllers.map(({ power }) => power)).toEqual(["Off", "Off"]);
  cluster.said = {};
  const again = await host.apply(powerOffMetal(vars));
  expect(again.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
  expect(JSON.stringify([applied, again])).not.toContain("bmc-pass-word");
});

test("a node without a controller shuts down through its own system, after the task has ended", async () => {
  const [node] = lab.hosts;
  if (node === undefined) throw new Error("the lab has no host");
  const host = await labTaskHost(node);
  expect(await host.check(systemShutDown({ name: "node" }))).toMatchObject([{ outcome: "changed" }]);
  await sleep(3000);
  expect(await hostLeader(node)).toBeDefined();
  expect(await host.apply(systemShutDown({ name: "node" }))).toMatchObject([{ outcome: "changed", error: undefined }]);
  for (let tries = 0; tries < 150 && (await hostLeader(node)) !== undefined; tries += 1) await sleep(200);
  expect(await hostLeader(node)).toBeUndefined();
});
