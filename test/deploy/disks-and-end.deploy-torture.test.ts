import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../acceptance/harvester-host.ts";
import { covered } from "../covered.ts";
import { Deployment } from "../playbooks/deployment.ts";
import { nodesOf } from "../playbooks/kubernetes.ts";
import { torturePoints, tortureSeed } from "../seeded.ts";
import { ended, KilledOnce } from "./killed-once.ts";
import { KilledPlaybook } from "./killed-playbook.ts";

let deployment: Deployment;
let killed: KilledPlaybook;
/** The vars for the node with its first disk only, and with one more disk. */
let vars: { readonly one: string[]; readonly two: string[] };

const image = "/mnt/datadisk1-2/harvester-data.qcow2";
const inHost = (script: string): Promise<string> => deployment.inHost(script);

beforeAll(async () => {
  deployment = await Deployment.up("deploy-end", 2, "v1.7.1", "inventory/start.ts");
  const [first, second] = deployment.lab.hosts[0]?.disks.map(({ path }) => path) ?? [];
  const one = [`disks=${JSON.stringify([first])}`];
  vars = { one, two: [...one, `extraDisks=${JSON.stringify([{ node: 1, device: second, sizeGiB: 1 }])}`] };
  await deployment.furrow("run", { vars: one });
  killed = new KilledPlaybook(deployment);
  await killed.attach();
}, 1_200_000);

afterAll(async () => {
  killed.close();
  await deployment.down();
}, 600_000);

/**
 * Removes the added disk and everything that furrow recorded about it, as an operator would. The node is off in the
 * meantime, because a running guest must cooperate when a disk is detached.
 */
async function takeDisk(): Promise<void> {
  await inHost(`set -e
touch /etc/furrow-maintenance
virsh -q destroy harvester-1
virsh -q detach-disk harvester-1 ${image} --config
part=$(findmnt -no SOURCE /mnt/datadisk1-2)
umount /mnt/datadisk1-2
rmdir /mnt/datadisk1-2
sed -i '\\#/mnt/datadisk1-2#d' /etc/fstab
systemctl daemon-reload
disk=/dev/$(lsblk -ndo PKNAME "$part")
blkdiscard -f "$disk"
partx -d "$disk"
virsh -q start harvester-1
rm /etc/furrow-maintenance`);
  await until(async () => (await nodesOf(deployment.kubeconfig).catch(() => [])).some(({ ready }) => ready), 600);
}

/** What must not change when a node gets a disk: the running machine, and its first image. */
const node = (): Promise<string> =>
  inHost("cat /run/libvirt/qemu/harvester-1.pid; stat -c '%i %W' /mnt/datadisk1/*.qcow2");
/** The node's definition, and the disks that it currently sees. */
const hardware = (): Promise<string> =>
  inHost("virsh dumpxml --inactive --security-info harvester-1; virsh -q domblklist harvester-1");
/** Writes a file to the new disk once it has a file system. Formatting the disk again would remove the file. */
const plant = "findmnt -n /mnt/datadisk1-2 >/dev/null && echo mine >/mnt/datadisk1-2/planted; true";

test(
  "a node gets exactly one disk, formatted once, even if furrow is killed while it adds the disk",
  { timeout: 3_600_000 },
  async () => {
    const points = torturePoints(3);
    const book = { playbook: "harvester-add-disk", vars: vars.two };
    ended(await killed.run(book));
    // The definition keeps the controller that was added with the first disk.
    await takeDisk();
    const calm = await killed.run(book);
    ended(calm);
    const [after, parts] = [await hardware(), await inHost("lsblk -rno TYPE,FSTYPE,PTTYPE,PARTLABEL")];
    const once = new KilledOnce(killed);
    for (let point = 0; point < points; point += 1) {
      await takeDisk();
      const before = await node();
      await once.kill(book, calm);
      await inHost(plant);
      const hadDisk = await inHost("cat /mnt/datadisk1-2/planted 2>/dev/null || true");
      ended(await killed.run(book));
      expect(await inHost("cat /mnt/datadisk1-2/planted 2>/dev/null || true")).toBe(hadDisk);
      expect([await hardware(), await inHost("lsblk -rno TYPE,FSTYPE,PTTYPE,PARTLABEL")]).toEqual([after, parts]);
      expect(await node()).toBe(before);
      const again = await deployment.furrow("run", book);
      expect(again.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    }
    await takeDisk();
    once.print(`${points} added disks`);
    expect(once.hits).toBeGreaterThan(0);
    covered(`furrow killed ${once.hits} times while it added ${points} disks to a running node (seed ${tortureSeed})`);
  },
);

/** The expected state of the host after its cluster was removed: nothing runs, and all data is kept. */
const left = `virsh -q list --all --name; virsh -q net-list --all --name | grep -v default
systemctl is-active nginx harvester-expose-443 harvester-expose-6443
ls -d /srv/www/harvester /etc/systemd/system/harvester-* /etc/furrow-maintenance 2>/dev/null
crontab -l 2>/dev/null | grep -v '^#'
ls /etc/furrow-harvester; stat -c '%i %W' /mnt/datadisk1/*.qcow2; true`;

test(
  "a cluster is removed and its data kept, even if furrow is killed during the removal",
  { timeout: 3_600_000 },
  async () => {
    const points = torturePoints(2);
    const book = { playbook: "harvester-destroy", vars: vars.one };
    const images = await inHost("stat -c '%i %W' /mnt/datadisk1/*.qcow2");
    const calm = await killed.run(book);
    ended(calm);
    const gone = await inHost(left);
    expect(gone).toBe(`inactive\ninactive\ninactive\ncluster\nharvester-1.fingerprint\n${images}`);
    const once = new KilledOnce(killed);
    for (let point = 0; point < points; point += 1) {
      await deployment.furrow("run", { vars: vars.one });
      expect(await nodesOf(deployment.kubeconfig)).toMatchObject([{ name: "harvester-1", ready: true }]);
      await once.survive(book, calm);
      expect(await inHost(left)).toBe(gone);
      expect(existsSync(deployment.kubeconfig)).toBe(false);
      const again = await deployment.furrow("run", book);
      expect(again.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    }
    once.print(`${points} removed clusters`);
    expect(once.hits).toBeGreaterThan(0);
    covered(`furrow killed ${once.hits} times while it removed ${points} clusters (seed ${tortureSeed})`);
  },
);
