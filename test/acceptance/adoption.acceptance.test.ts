import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  artifactsThere,
  type HarvesterHost,
  harvesterHost,
  type HostVars,
  notOk,
  smallCluster,
  until,
} from "./harvester-host.ts";
import { domain, mountPoint, originalHost } from "./original-host.ts";

let host: HarvesterHost;
let mac: string;
beforeAll(async () => {
  host = await harvesterHost("adoption", 1);
  await host.sh(originalHost(host.labHost.disks[0]?.device ?? ""));
  mac = (await host.sh(`virsh domiflist ${domain}`)).match(/([\da-f]{2}:){5}[\da-f]{2}/)?.[0] ?? "";
});
afterAll(() => host.down());

/** The vars that describe the existing machine. One test leaves `adopted` empty, as a user might. */
const vars = (adopted = [{ mac, address: "192.168.122.57" }]): HostVars => ({
  ...smallCluster,
  prefix: "harvester-node",
  network: { address: "192.168.122.1", vip: "192.168.122.120", firstNode: "192.168.122.11" },
  disks: host.labHost.disks.map(({ path }) => path),
  artifacts: artifactsThere(),
  adopted,
});

/** Everything that a run must not change: the file system, its files, the virtual machine and its process. */
const kept = (): Promise<string> =>
  host.sh(`set -e; findmnt -rno UUID ${mountPoint}; cat ${mountPoint}/kept; stat -c %i ${mountPoint}/harvester-data.qcow2
virsh domuuid ${domain}; virsh net-uuid vlan1; cat /run/libvirt/qemu/${domain}.pid
virsh dumpxml --inactive ${domain} | grep '<mac '; stat -c '%n %i' /srv/www/harvester/*-amd64*`);

describe("a host set up by three runs of the original shell scripts", () => {
  test("is refused, and left unchanged, if the nodes' addresses are not given", async () => {
    const before = await host.sh("cat /etc/fstab; crontab -l; ls /srv/www/harvester; systemctl is-active socat-proxy");
    const ends = await host.furrow("run", vars([]));
    expect(ends.at(-1)?.error?.what).toContain(`${domain} exists with the MAC address ${mac}`);
    expect(ends.filter(({ outcome }) => outcome === "changed")).toEqual([]);
    expect(await host.sh("cat /etc/fstab; crontab -l; ls /srv/www/harvester; systemctl is-active socat-proxy")).toBe(
      before,
    );
  });

  test("is taken over as check mode predicts, and nothing is formatted, downloaded or restarted", async () => {
    const before = await kept();
    const check = await host.furrow("check", vars());
    expect(check.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    const run = await host.furrow("run", vars());
    expect(run.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    const decided = new Set(check.filter(({ outcome }) => outcome === "undecided").map(({ title }) => title));
    const certain = (ends: typeof run): unknown =>
      ends.filter(({ title }) => !decided.has(title)).map(({ title, outcome }) => `${outcome} ${title}`);
    expect(certain(run)).toEqual(certain(check));
    expect(await kept()).toBe(before);
  });

  test("needs no changes in a second run", async () => {
    expect(notOk(await host.furrow("run", vars()))).toEqual([]);
  });

  test("has one valid line in fstab, which mounts the disk by UUID", async () => {
    const uuid = (await host.sh(`findmnt -rno UUID ${mountPoint}`)).trim();
    expect(await host.sh(`grep ' ${mountPoint} ' /etc/fstab`)).toBe(
      `UUID=${uuid} ${mountPoint} ext4 defaults,nofail 0 2\n`,
    );
    expect(await host.sh("findmnt --verify --fstab || true")).not.toMatch(/\[E\]/);
  });

  test("has one cron job that watches the nodes, in place of the old job", async () => {
    const jobs = (await host.sh("crontab -l")).split("\n").filter((line) => /^[^#]/.test(line));
    expect(jobs).toEqual([expect.stringContaining("/usr/local/sbin/furrow-node-watchdog")]);
    await host.sh("! test -e /usr/local/bin/restart_harvester_vms_script.sh");
  });

  test("has one unit for each port, in place of the single unit for both ports", async () => {
    expect(await host.sh("systemctl is-active harvester-expose-443 harvester-expose-6443")).toBe("active\nactive\n");
    expect(await host.sh("systemctl show -p LoadState --value socat-proxy")).toBe("not-found\n");
    expect(await host.sh("ls /etc/systemd/system/multi-user.target.wants")).not.toContain("socat-proxy");
  });

  test("gives the node its address by DHCP, and does not hand out the virtual address", async () => {
    const net = await host.sh("virsh net-dumpxml vlan1");
    expect(net).not.toContain("<range");
    expect(net).toContain(`<host mac='${mac}' name='${domain}' ip='192.168.122.57'/>`);
    const conf = await host.sh("cat /var/lib/libvirt/dnsmasq/vlan1.conf");
    expect(conf).toContain("dhcp-range=192.168.122.1,static");
    expect(conf).toContain("dhcp-boot=");
  });

  test("serves no file with the old token, and hides the new token from ordinary users", async () => {
    await host.sh("! grep -rl SecretToken.123 /srv/www/harvester");
    const look = "runuser -u nobody -- cat /srv/www/harvester/nodes/*.yaml 2>&1 || true";
    expect(await host.sh(look)).toMatch(/Permission denied|No such file/);
  });

  test("moves the node's screen to the loopback interface at the next start, and keeps the node's disk", async () => {
    // The node's watchdog, which runs every two minutes, would also start the node.
    await host.sh(
      `touch /etc/furrow-maintenance; virsh destroy ${domain}; virsh start ${domain}; rm /etc/furrow-maintenance`,
    );
    await until(async () => (await host.sh("ss -ltnH sport = :5901")).includes(":5901"));
    expect(await host.sh("ss -ltnH sport = :5901")).toContain("127.0.0.1:5901");
    expect(await host.sh(`virsh domblklist ${domain}`)).toContain(`${mountPoint}/harvester-data.qcow2`);
    expect(notOk(await host.furrow("run", vars()))).toEqual([]);
  });
});
