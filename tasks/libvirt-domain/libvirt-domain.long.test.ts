import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { labDown } from "../../src/lab/index.ts";
import { bothRefuse, image, libvirtHost, net, node, noNet, noNode, refusals } from "../../test/libvirt/guest.ts";
import type { TaskHost } from "../../test/tasks/on-host.ts";
import { outcomes } from "../../test/tasks/one-lab-host.ts";
import { service } from "../service/service.ts";
import { libvirtDomain } from "./libvirt-domain.ts";

const name = "libvirt-domain-task";
let host: TaskHost;
beforeAll(async () => {
  host = await libvirtHost(name);
  await host.apply(net(), node());
});
afterAll(() => labDown({ name }));

describe("a running guest", () => {
  test("is ok after the first run", async () => {
    expect(outcomes(await host.apply(net(), node()))).toEqual(["ok", "ok"]);
  });

  test("keeps running while it is redefined, and reports what needs a restart", async () => {
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

  test("keeps its screen password, which appears in no report", async () => {
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

  test("sees its disk grow, but never shrink", async () => {
    const disks = [{ file: image, size: "2G", serial: "n1" }];
    expect((await host.apply(node({ disks })))[0]?.steps).toEqual([
      `virsh blockresize node-1 ${image} ${2 * 2 ** 30}B`,
    ]);
    expect(outcomes(await host.apply(node({ disks })))).toEqual(["ok"]);
    expect(await bothRefuse(host, node())).toEqual(["disk-shrink", "disk-shrink"]);
    expect(refusals(await host.check(node({ name: "node-2" })))).toEqual(["disk-in-use"]);
  });

  test("is not touched while it is paused", async () => {
    await host.sh("virsh suspend node-1");
    expect(await bothRefuse(host, node())).toEqual(["domain-paused", "domain-paused"]);
    await host.sh("virsh resume node-1");
  });

  test("is not removed, but is shut down if requested, and forced off if it does not react", async () => {
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

describe("runs", () => {
  test("that are killed between the steps for a network are finished by the next run", async () => {
    const lease = { leaseSeconds: 7200 };
    const steps = ["virsh net-destroy vlan1", "virsh net-autostart --disable vlan1"];
    for (const step of steps) {
      await host.sh(step);
      expect(outcomes(await host.apply(net({}, lease)))).toEqual(["changed"]);
      expect(outcomes(await host.apply(net({}, lease)))).toEqual(["ok"]);
    }
    expect(await host.sh("cat /var/lib/libvirt/dnsmasq/vlan1.conf")).toContain("7200");
  });

  test("that are killed between the steps for a guest are finished by the next run", async () => {
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
    const gone = noNode("second", true);
    await host.sh(`virsh destroy second; rm ${file}`);
    expect(outcomes(await host.check(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["ok"]);
  });
});

describe("a guest with all params", () => {
  test("is created as described, and is then ok", async () => {
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
    const gone = noNode("full", true);
    expect(outcomes(await host.apply(gone))).toEqual(["changed"]);
    expect(await host.sh("ls /var/lib/libvirt/images")).toBe("node-1.qcow2\n");
  });

  test("boots with UEFI if requested", async () => {
    const call = node({ name: "efi", firmware: "uefi", disks: [], interfaces: [], bootOrder: ["hd"], vnc: false });
    expect(outcomes(await host.apply(call))).toEqual(["changed"]);
    expect((await host.apply(call))[0]).toMatchObject({ outcome: "ok", notes: [] });
    expect(await host.sh("ls /var/lib/libvirt/qemu/nvram")).toBe("efi_VARS.fd\n");
    expect(outcomes(await host.apply(noNode("efi")))).toEqual(["changed"]);
    expect(await host.sh("ls /var/lib/libvirt/qemu/nvram")).toBe("");
  });
});

describe("a daemon that is down", () => {
  const start = service({ name: "libvirtd", state: "started" });
  const disks = [{ file: image, serial: "n1" }];

  test("is named in the refusal unless an earlier task starts it; then existing definitions are still recognized", async () => {
    const lease = { leaseSeconds: 7200 };
    await host.sh("systemctl stop libvirtd.socket libvirtd-ro.socket libvirtd-admin.socket libvirtd.service");
    expect(await bothRefuse(host, net({}, lease))).toEqual(["libvirt-down", "libvirt-down"]);
    expect(await bothRefuse(host, node({ disks }))).toEqual(["libvirt-down", "libvirt-down"]);
    const check = await host.check(start, net({}, lease), node({ disks }));
    expect(outcomes(check)).toEqual(["changed", "ok", "changed"]);
    expect(outcomes(await host.apply(start, net({}, lease), node({ disks })))).toEqual(["changed", "ok", "changed"]);
    expect(outcomes(await host.apply(start, net({}, lease), node({ disks })))).toEqual(["ok", "ok", "ok"]);
  });

  test("lets everything be removed once it is running again", async () => {
    const gone = [noNode("node-1", true), noNet];
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
