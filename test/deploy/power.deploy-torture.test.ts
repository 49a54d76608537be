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

/** The number of shutdowns so far. Each shutdown takes one snapshot, however often it was killed. */
let shutdowns = 0;
const address = "192.168.130.11";
const folder = "/var/lib/rancher/rke2/server/db/snapshots";
const snapshots = async (): Promise<string[]> =>
  (await deployment.onNode(address, `sudo -n ls ${folder} 2>/dev/null || true`)).split("\n").filter(Boolean);

/** Expects the cluster to be off, as if no run had been killed. */
async function isOff(): Promise<void> {
  // "destroyed" would mean that the node had no time to write its data.
  expect(await inHost("virsh domstate --reason harvester-1")).toBe("shut off (shutdown)");
  expect(JSON.parse(await inHost("cat /etc/furrow-maintenance"))).toMatchObject({ by: "harvester-shutdown" });
  expect(await inHost("cat /etc/furrow-harvester/power-order")).toBe("harvester-1");
  expect(JSON.parse(await inHost("cat /etc/furrow-harvester/etcd-snapshot"))).toMatchObject({
    name: expect.stringMatching(/^furrow-shutdown-\d{8}-\d{6}$/) as string,
    node: "harvester-1",
  });
  expect(await inHost("/usr/local/sbin/furrow-node-watchdog; virsh domstate harvester-1")).toBe("shut off");
  expect(await defined()).toBe(definition);
}

/** Expects the cluster to be on, as if no run had been killed. */
async function isOn(): Promise<void> {
  expect(await inHost("virsh domstate harvester-1")).toBe("running");
  const records = ["power-order", "shutdown-checked", "etcd-snapshot"].map((name) => `/etc/furrow-harvester/${name}`);
  const left = ["/etc/furrow-maintenance", ...records].join(" ");
  expect(await inHost(`ls ${left} 2>/dev/null || true`)).toBe("");
  shutdowns += 1;
  expect(await snapshots()).toHaveLength(shutdowns);
  expect(await nodesOf(deployment.kubeconfig)).toMatchObject([{ name: "harvester-1", ready: true }]);
  expect(await defined()).toBe(definition);
}

test("a cluster stays on if no etcd snapshot can be saved; check mode says so too if the node has no rke2", async () => {
  const refused = async (verb: "check" | "run", says: string): Promise<void> => {
    const { code, text } = await deployment.start(verb, shutdown).ended;
    expect({ verb, code }).toEqual({ verb, code: 1 });
    expect(text).toContain(says);
    expect(text).toContain("the cluster stays on, because no etcd snapshot of it could be taken");
    expect(text).toContain("--var skipSnapshot=true");
    expect(await inHost("virsh domstate harvester-1; ls /etc/furrow-maintenance 2>/dev/null || true")).toBe("running");
  };
  await deployment.onNode(address, "sudo -n mv /opt/rke2 /opt/rke2.away");
  for (const verb of ["check", "run"] as const) await refused(verb, "harvester-1 has no rke2 program (looked at ");
  await deployment.onNode(address, "sudo -n mv /opt/rke2.away /opt/rke2");
  const full = `sudo -n sh -c 'mkdir -p ${folder} && mount -t tmpfs -o size=4k none ${folder} && dd if=/dev/zero of=${folder}/fill bs=4k count=1'`;
  await deployment.onNode(address, full);
  await refused("run", "no space left on device");
  await deployment.onNode(address, `sudo -n umount ${folder}`);
  const skipping = await deployment.start("check", { ...shutdown, vars: ["skipSnapshot=true"] }).ended;
  expect(skipping).toMatchObject({ code: 0 });
  expect(skipping.text).toContain("skipSnapshot is set, so no etcd snapshot is taken");
  expect(await snapshots()).toEqual([]);
});

test("a cluster is switched off and on with its definition untouched", async () => {
  const checked = await deployment.furrow("check", shutdown);
  expect(checked.filter(({ outcome }) => outcome === "undecided")).toEqual([]);
  expect(await snapshots()).toEqual([]);
  const off = await killed.run(shutdown);
  ended(off);
  expect(off.text).toMatch(
    new RegExp(`etcd snapshot on harvester-1: ${folder}/furrow-shutdown-\\d{8}-\\d{6}-harvester-1-\\d+ `),
  );
  expect(off.text).toContain(`--cluster-reset-restore-path=${folder}/furrow-shutdown-`);
  await isOff();
  const again = await killed.run(shutdown);
  ended(again);
  expect(again.tasks.filter(({ changed }) => changed)).toEqual([]);
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

test(
  "a cluster ends in the same state even if furrow is killed during each shutdown and restart",
  { timeout: 3_600_000 },
  async () => {
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
  },
);
