import { afterAll, beforeAll, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { Deployment } from "../playbooks/deployment.ts";
import { nodesOf } from "../playbooks/kubernetes.ts";
import { torturePoints, tortureSeed } from "../seeded.ts";
import { ended, KilledOnce } from "./killed-once.ts";
import { KilledPlaybook, type Life } from "./killed-playbook.ts";

const points = torturePoints(4);
const shutdown = { playbook: "harvester-shutdown" };
const restart = { playbook: "harvester-restart" };
let deployment: Deployment;
let killed: KilledPlaybook;
/** The node's stored definition, with a disk that the inventory does not list. */
let definition: string;
/** The undisturbed shutdown and restart. */
let calm: { readonly off: Life; readonly on: Life };

const inHost = (script: string): Promise<string> => deployment.inHost(script);
const defined = (): Promise<string> =>
  inHost("virsh dumpxml --inactive --security-info harvester-1; stat -c '%i %W' /mnt/datadisk1/harvester-data.qcow2");

beforeAll(async () => {
  deployment = await Deployment.up("deploy-power", 1, "v1.7.1", "inventory/start.ts");
  await deployment.furrow("run");
  await inHost(`qemu-img create -q -f qcow2 /var/lib/libvirt/images/extra.qcow2 64M
virsh -q attach-disk harvester-1 /var/lib/libvirt/images/extra.qcow2 sdb --targetbus sata --subdriver qcow2 --config`);
  definition = await defined();
  killed = new KilledPlaybook(deployment);
  await killed.attach();
}, 1_200_000);

afterAll(async () => {
  killed.close();
  await deployment.down();
}, 600_000);

/** The cluster is off, as if nobody had killed anything. */
async function isOff(): Promise<void> {
  // "destroyed" would mean that the node had no time to write its data.
  expect(await inHost("virsh domstate --reason harvester-1")).toBe("shut off (shutdown)");
  expect(JSON.parse(await inHost("cat /etc/furrow-maintenance"))).toMatchObject({ by: "harvester-shutdown" });
  expect(await inHost("cat /etc/furrow-harvester/power-order")).toBe("harvester-1");
  expect(await inHost("/usr/local/sbin/furrow-node-watchdog; virsh domstate harvester-1")).toBe("shut off");
  expect(await defined()).toBe(definition);
}

/** The cluster is on, as if nobody had killed anything. */
async function isOn(): Promise<void> {
  expect(await inHost("virsh domstate harvester-1")).toBe("running");
  expect(await inHost("ls /etc/furrow-maintenance /etc/furrow-harvester/power-order 2>/dev/null || true")).toBe("");
  expect(await nodesOf(deployment.kubeconfig)).toMatchObject([{ name: "harvester-1", ready: true }]);
  expect(await defined()).toBe(definition);
}

test("a cluster is switched off and on with its definition untouched", async () => {
  const off = await killed.run(shutdown);
  ended(off);
  await isOff();
  ended(await killed.run(shutdown));
  await isOff();
  const said = await deployment.start("check").ended;
  expect(said.code).toBe(1);
  expect(said.text).toContain("the cluster is under maintenance: the cluster is shut down");
  expect(said.text).toContain("npx furrow run playbooks/harvester-restart.ts");
  const { text } = await deployment.start("run", { playbook: "harvester-status" }).ended;
  expect(text).toMatch(
    /maintenance since [^"]+ by [^"]+@[^"]+ \(harvester-shutdown\), because the cluster is shut down/,
  );
  const on = await killed.run(restart);
  ended(on);
  await isOn();
  calm = { off, on };
});

test("ends in the same state if furrow is killed in each shutdown and restart", { timeout: 3_600_000 }, async () => {
  const once = new KilledOnce(killed);
  for (let point = 0; point < points; point += 1) {
    await once.survive(shutdown, calm.off);
    await isOff();
    await once.survive(restart, calm.on);
    await isOn();
  }
  once.print(`${points} shutdowns and restarts`);
  expect(once.hits).toBeGreaterThan(points);
  covered(`furrow killed ${once.hits} times in ${points} shutdowns and ${points} restarts (seed ${tortureSeed})`);
});
