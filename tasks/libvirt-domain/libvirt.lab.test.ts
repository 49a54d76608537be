import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { labDown, labUp } from "../../src/lab/index.ts";
import { covered } from "../../test/covered.ts";
import { labTaskHost, type TaskEnd, type TaskHost } from "../../test/tasks/on-host.ts";
import { outcomes } from "../../test/tasks/one-lab-host.ts";
import { file } from "../file/file.ts";
import { libvirtNet } from "../libvirt-net/libvirt-net.ts";
import { service } from "../service/service.ts";
import { libvirtDomain } from "./libvirt-domain.ts";

const name = "libvirt-task";
const mac = "52:54:00:00:00:01";
const image = "/var/lib/libvirt/images/node-1.qcow2";
const base = "http://10.55.0.1";
let host: TaskHost;
beforeAll(async () => {
  const lab = await labUp({ hosts: 1, name, libvirt: true, replace: true });
  const [first] = lab.hosts;
  if (first) host = await labTaskHost(first);
});
afterAll(() => labDown({ name }));

type Dhcp = NonNullable<Parameters<typeof net>[1]>;
const kept = { mac, ip: "10.55.0.11", name: "node-1" };
const net = (
  change: { readonly domain?: string; readonly state?: "active" | "inactive" } = {},
  dhcp: { readonly hosts?: readonly { mac: string; ip: string; name?: string }[]; readonly leaseSeconds?: number } = {},
) =>
  libvirtNet({
    name: "vlan1",
    bridge: "virbr1",
    address: "10.55.0.1",
    dhcp: {
      ranges: [{ start: "10.55.0.200", end: "10.55.0.250" }],
      hosts: [kept],
      reserved: ["10.55.0.120"],
      bootFile: `${base}/default.ipxe`,
      ...dhcp,
    },
    ...change,
  });
const node = (change: Partial<Parameters<typeof libvirtDomain>[0]> = {}) =>
  libvirtDomain({
    name: "node-1",
    type: "qemu",
    memoryMiB: 256,
    vcpus: 1,
    disks: [{ file: image, size: "1G", serial: "n1" }],
    interfaces: [{ mac, network: "vlan1" }],
    bootOrder: ["hd", "network"],
    vnc: { port: 5901 },
    ...change,
  } as Parameters<typeof libvirtDomain>[0]);
const noNet = libvirtNet({ name: "vlan1", state: "absent" });
const refusals = (ends: readonly TaskEnd[]): (string | undefined)[] =>
  ends.map(({ error }) => error?.failure.details?.find((line) => line.startsWith("refused: "))?.slice(9));
const paths = ([end]: readonly TaskEnd[]): string[] =>
  (end?.changes ?? []).flatMap(({ differences }) => differences.map(({ path }) => path));

async function until(what: () => Promise<boolean>, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds && !(await what()); passed += 2) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

describe("a guest that boots from the network", () => {
  const boot = [
    net(),
    file({ path: "/var/www/html/default.ipxe", content: `#!ipxe\nchain ${base}/\${net0/mac:hexhyp}.ipxe\n` }),
    file({
      path: "/var/www/html/52-54-00-00-00-01.ipxe",
      content: `#!ipxe\nimgfetch ${base}/arrived/\${net0/ip}\nsleep 10000\n`,
    }),
    service({ name: "nginx", state: "started" }),
    node(),
  ];

  test("is foreseen on an empty host, made, and then left alone", async () => {
    expect(refusals(await host.check(node()))).toEqual(["network-missing"]);
    expect(outcomes(await host.check(...boot))).toEqual(Array(5).fill("changed"));
    expect(outcomes(await host.apply(...boot))).toEqual(Array(5).fill("changed"));
    expect(outcomes(await host.check(...boot))).toEqual(Array(5).fill("ok"));
    const again = await host.apply(...boot);
    expect(outcomes(again)).toEqual(Array(5).fill("ok"));
    expect(again.flatMap(({ notes }) => notes)).toEqual([]);
    expect(await host.sh(`stat -c %a ${image}`)).toBe("600\n");
  });

  test("has the address that is kept for it, and runs the script that is meant for it", async () => {
    const log = (): Promise<string> => host.sh("cat /var/log/nginx/access.log");
    await until(async () => (await log()).includes("/arrived/"), 300);
    const requests = [...(await log()).matchAll(/^(\S+) .*"GET (\S+) /gm)].map(([, ip, path]) => `${ip} ${path}`);
    expect(requests).toEqual([
      "10.55.0.11 /default.ipxe",
      "10.55.0.11 /52-54-00-00-00-01.ipxe",
      "10.55.0.11 /arrived/10.55.0.11",
    ]);
    covered("libvirt: a nested guest booted from the network by DHCP reservation, boot file and script");
  });
});

describe("a network that a guest runs on", () => {
  test("takes a reservation over without a restart", async () => {
    const hosts = [kept, { mac: "52:54:00:00:00:02", ip: "10.55.0.12", name: "node-2" }];
    const before = await host.sh("cat /sys/class/net/virbr1/ifindex");
    expect(outcomes(await host.check(net({}, { hosts })))).toEqual(["changed"]);
    const ends = await host.apply(net({}, { hosts }));
    expect(ends[0]?.steps).toEqual([
      "define network vlan1",
      "virsh net-update vlan1 add-last ip-dhcp-host 52:54:00:00:00:02",
    ]);
    expect(await host.sh("virsh net-dumpxml vlan1; cat /var/lib/libvirt/dnsmasq/vlan1.hostsfile")).toContain("node-2");
    expect(outcomes(await host.apply(net({}, { hosts })))).toEqual(["ok"]);
    expect(outcomes(await host.apply(net()))).toEqual(["changed"]);
    expect(await host.sh("cat /sys/class/net/virbr1/ifindex")).toBe(before);
  });

  test("is defined anew where more is wanted, and says what waits for a restart", async () => {
    const notes = ["needs a restart for domain, when node-1 no longer runs on it"];
    const [check] = await host.check(net({ domain: "lab.internal" }));
    expect(check).toMatchObject({ outcome: "changed", notes });
    expect((await host.apply(net({ domain: "lab.internal" })))[0]).toMatchObject({ outcome: "changed", notes });
    expect((await host.apply(net({ domain: "lab.internal" })))[0]).toMatchObject({ outcome: "ok", notes });
    expect((await host.apply(net({ domain: "" })))[0]).toMatchObject({ outcome: "changed", notes: [] });
  });

  test("is neither stopped nor removed", async () => {
    for (const run of [host.check, host.apply]) {
      expect(refusals(await run(net({ state: "inactive" })))).toEqual(["network-in-use"]);
      expect(refusals(await run(noNet))).toEqual(["network-in-use"]);
    }
    expect(await host.sh("virsh net-list --name")).toContain("vlan1");
  });

  test("keeps its bridge and subnet from others", async () => {
    const other = { name: "other", bridge: "virbr7", address: "10.66.0.1" };
    expect(refusals(await host.check(libvirtNet({ ...other, bridge: "virbr1" })))).toEqual(["bridge-taken"]);
    expect(refusals(await host.check(libvirtNet({ ...other, address: "10.55.0.77" })))).toEqual(["subnet-taken"]);
    const third = libvirtNet({ ...other, name: "third", address: "10.67.0.1" });
    expect(refusals(await host.check(libvirtNet(other), third))).toEqual([undefined, "bridge-taken"]);
  });

  test("shows what others did to it by names, and mends it", async () => {
    await host.sh(
      "virsh net-dumpxml --inactive vlan1 | sed \"s/10.55.0.11'/10.55.0.99'/;s/<bootp.*//;s/stp='on'/stp='off'/\" >/tmp/n.xml; virsh net-define /tmp/n.xml; virsh net-autostart --disable vlan1",
    );
    const uuid = await host.sh("virsh net-uuid vlan1");
    expect(paths(await host.check(net()))).toEqual([
      `dhcp.hosts.${mac}.ip`,
      "dhcp.bootFile",
      "autostart",
      "networks.vlan1.autostart",
    ]);
    expect(outcomes(await host.apply(net()))).toEqual(["changed"]);
    expect(outcomes(await host.apply(net()))).toEqual(["ok"]);
    expect(await host.sh("virsh net-uuid vlan1")).toBe(uuid);
    expect(await host.sh("virsh net-dumpxml --inactive vlan1")).toContain("stp='off'");
  });
});

describe("a guest that runs", () => {
  test("keeps running while it is defined anew, and says what waits for a restart", async () => {
    const pid = await host.sh("cat /run/libvirt/qemu/node-1.pid");
    const before = await host.sh("virsh dumpxml --inactive node-1");
    const notes = ["needs a restart for memoryMiB"];
    expect((await host.check(node({ memoryMiB: 512 })))[0]).toMatchObject({ outcome: "changed", notes });
    expect((await host.apply(node({ memoryMiB: 512 })))[0]).toMatchObject({ outcome: "changed", notes });
    expect((await host.apply(node({ memoryMiB: 512 })))[0]).toMatchObject({ outcome: "ok", notes });
    expect((await host.apply(node()))[0]).toMatchObject({ outcome: "changed", notes: [] });
    expect(await host.sh("virsh dumpxml --inactive node-1")).toBe(before);
    expect(await host.sh("cat /run/libvirt/qemu/node-1.pid")).toBe(pid);
  });

  test("keeps the password of its screen, which stands in no answer", async () => {
    await host.sh(
      "virsh dumpxml --inactive --security-info node-1 | sed \"s/<graphics type='vnc'/& passwd='geh\\&amp;eim'/\" >/tmp/d.xml; virsh define /tmp/d.xml",
    );
    expect(outcomes(await host.apply(node()))).toEqual(["ok"]);
    const ends = await host.apply(node({ vcpus: 2 }));
    expect(outcomes(ends)).toEqual(["changed"]);
    expect(JSON.stringify(ends)).not.toContain("geh");
    expect(await host.sh("virsh dumpxml --inactive --security-info node-1")).toContain("passwd='geh&amp;eim'");
    expect(outcomes(await host.apply(node()))).toEqual(["changed"]);
  });

  test("sees its disk grow, and never shrink", async () => {
    const disks = [{ file: image, size: "2G", serial: "n1" }];
    expect((await host.apply(node({ disks })))[0]?.steps).toEqual([
      `virsh blockresize node-1 ${image} ${2 * 2 ** 30}B`,
    ]);
    expect(outcomes(await host.apply(node({ disks })))).toEqual(["ok"]);
    for (const run of [host.check, host.apply]) expect(refusals(await run(node()))).toEqual(["disk-shrink"]);
    expect(refusals(await host.check(node({ name: "node-2" })))).toEqual(["disk-in-use"]);
  });

  test("is not touched while it is paused", async () => {
    await host.sh("virsh suspend node-1");
    for (const run of [host.check, host.apply]) expect(refusals(await run(node()))).toEqual(["domain-paused"]);
    await host.sh("virsh resume node-1");
  });

  test("is not removed, but shut down where that is wanted, by force where it does not listen", async () => {
    const disks = [{ file: image, serial: "n1" }];
    expect(refusals(await host.check(libvirtDomain({ name: "node-1", state: "absent" })))).toEqual(["domain-active"]);
    const patient = node({ disks, state: "shutoff", shutdownSeconds: 3 });
    expect((await host.apply(patient))[0]?.error?.code).toBe("E_STEP");
    expect(await host.sh("virsh domstate node-1")).toContain("running");
    const forced = node({ disks, state: "shutoff", shutdownSeconds: 3, force: true });
    expect(outcomes(await host.apply(forced))).toEqual(["changed"]);
    expect(outcomes(await host.apply(forced))).toEqual(["ok"]);
  });
});

describe("runs that were killed", () => {
  test("between the steps of a network are finished by the next", async () => {
    const lease: Dhcp = { leaseSeconds: 7200 };
    const steps = ["virsh net-destroy vlan1", "virsh net-autostart --disable vlan1"];
    for (const step of steps) {
      await host.sh(step);
      expect(outcomes(await host.apply(net({}, lease)))).toEqual(["changed"]);
      expect(outcomes(await host.apply(net({}, lease)))).toEqual(["ok"]);
    }
    expect(await host.sh("cat /var/lib/libvirt/dnsmasq/vlan1.conf")).toContain("7200");
  });

  test("between the steps of a guest are finished by the next", async () => {
    const file = "/var/lib/libvirt/images/second.qcow2";
    const second = node({
      name: "second",
      disks: [{ file, size: "1G" }],
      vnc: false,
      interfaces: [],
      state: "running",
    });
    await host.sh(`echo half >${file}.furrow-part`);
    expect(outcomes(await host.apply(second))).toEqual(["changed"]);
    for (const step of [
      "virsh destroy second",
      "virsh autostart --disable second",
      "virsh destroy second; virsh undefine second",
    ]) {
      await host.sh(step);
      const inode = await host.sh(`stat -c %i ${file}`);
      expect(outcomes(await host.apply(second))).toEqual(["changed"]);
      expect(outcomes(await host.apply(second))).toEqual(["ok"]);
      expect(await host.sh(`stat -c %i ${file}`)).toBe(inode);
    }
    expect(await host.sh("ls /var/lib/libvirt/images")).toBe("node-1.qcow2\nsecond.qcow2\n");
    const gone = libvirtDomain({ name: "second", state: "absent", removeDisks: true, force: true });
    await host.sh(`virsh destroy second; rm ${file}`);
    expect(outcomes(await host.check(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["ok"]);
  });
});

describe("a guest with everything", () => {
  test("is what it was asked to be, and is found so", async () => {
    const call = node({
      name: "full",
      machine: "pc",
      cpu: "qemu64",
      onCrash: "restart",
      bootOrder: undefined,
      disks: [
        { file: "/var/lib/libvirt/images/full a.qcow2", size: "64M", boot: 2 },
        {
          file: "/var/lib/libvirt/images/full-b.raw",
          format: "raw",
          size: "10M",
          bus: "scsi",
          wwn: "5000c50015ea71aa",
        },
        { file: "/var/lib/libvirt/images/full-c.raw", format: "raw", size: "10M", bus: "sata", serial: "c" },
      ],
      interfaces: [
        { mac: "52:54:00:00:01:01", network: "vlan1", boot: 1 },
        { mac: "52:54:00:00:01:02", bridge: "virbr1", model: "e1000" },
      ],
      serialLog: "/var/log/libvirt/full.log",
      vnc: {},
    });
    expect(outcomes(await host.check(call))).toEqual(["changed"]);
    expect(outcomes(await host.apply(call))).toEqual(["changed"]);
    const [again] = await host.apply(call);
    expect(again).toMatchObject({ outcome: "ok", notes: [] });
    expect(refusals(await host.check(noNet))).toEqual(["network-in-use"]);
    const gone = libvirtDomain({ name: "full", state: "absent", removeDisks: true, force: true });
    expect(outcomes(await host.apply(gone))).toEqual(["changed"]);
    expect(await host.sh("ls /var/lib/libvirt/images")).toBe("node-1.qcow2\n");
  });

  test("boots by UEFI where that is wanted", async () => {
    const call = node({ name: "efi", firmware: "uefi", disks: [], interfaces: [], bootOrder: ["hd"], vnc: false });
    expect(outcomes(await host.apply(call))).toEqual(["changed"]);
    expect((await host.apply(call))[0]).toMatchObject({ outcome: "ok", notes: [] });
    expect(await host.sh("ls /var/lib/libvirt/qemu/nvram")).toBe("efi_VARS.fd\n");
    expect(outcomes(await host.apply(libvirtDomain({ name: "efi", state: "absent", force: true })))).toEqual([
      "changed",
    ]);
    expect(await host.sh("ls /var/lib/libvirt/qemu/nvram")).toBe("");
  });
});

describe("a daemon that is down", () => {
  const start = service({ name: "libvirtd", state: "started" });
  const disks = [{ file: image, serial: "n1" }];

  test("is named, unless an earlier task starts it; what is defined is still known", async () => {
    const lease: Dhcp = { leaseSeconds: 7200 };
    await host.sh("systemctl stop libvirtd.socket libvirtd-ro.socket libvirtd-admin.socket libvirtd.service");
    for (const run of [host.check, host.apply]) {
      expect(refusals(await run(net({}, lease)))).toEqual(["libvirt-down"]);
      expect(refusals(await run(node({ disks })))).toEqual(["libvirt-down"]);
    }
    const check = await host.check(start, net({}, lease), node({ disks }));
    expect(outcomes(check)).toEqual(["changed", "ok", "changed"]);
    expect(outcomes(await host.apply(start, net({}, lease), node({ disks })))).toEqual(["changed", "ok", "changed"]);
    expect(outcomes(await host.apply(start, net({}, lease), node({ disks })))).toEqual(["ok", "ok", "ok"]);
  });

  test("all goes in the end", async () => {
    const gone = [libvirtDomain({ name: "node-1", state: "absent", removeDisks: true, force: true }), noNet];
    await host.sh("ip link add other0 type veth peer name other1; ip link set other0 master virbr1");
    const [, held] = await host.check(...gone);
    expect(held?.error?.failure).toMatchObject({ current: "other0" });
    await host.sh("ip link del other0");
    expect(outcomes(await host.check(...gone))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(...gone))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(...gone))).toEqual(["ok", "ok"]);
    expect(
      await host.sh("virsh list --all --name; virsh net-list --all --name; ls /var/lib/libvirt/images"),
    ).not.toMatch(/node|vlan/);
  });
});
