import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { labDown } from "../../src/lab/index.ts";
import { bothRefuse, image, libvirtHost, net, node } from "../../test/libvirt/guest.ts";
import type { TaskHost } from "../../test/tasks/on-host.ts";
import { outcomes } from "../../test/tasks/one-lab-host.ts";
import { libvirtPower } from "./libvirt-power.ts";

const name = "libvirt-power-task";
/** A disk that is only in the definition. A playbook whose vars no longer name the disk must not remove it. */
const extra = "/var/lib/libvirt/images/extra.qcow2";
let host: TaskHost;
let definition: string;

const defined = (): Promise<string> =>
  host.sh("virsh dumpxml --inactive --security-info node-1; virsh dominfo node-1 | grep Autostart");
const state = async (): Promise<string> => (await host.sh("virsh domstate node-1")).trim();
const power = (wanted: "running" | "shutoff", more: object = {}): ReturnType<typeof libvirtPower> =>
  libvirtPower({ name: "node-1", state: wanted, shutdownSeconds: 3, ...more });

beforeAll(async () => {
  host = await libvirtHost(name);
  const disks = [
    { file: image, size: "1G", serial: "n1" },
    { file: extra, size: "10M", bus: "scsi", wwn: "5000c50015ea71aa" },
  ];
  await host.apply(net(), node({ disks }));
  definition = await defined();
});
afterAll(() => labDown({ name }));

describe("a guest whose definition contains more than the playbook knows about", () => {
  test("keeps its definition, byte for byte, when it is switched off and on", async () => {
    expect(outcomes(await host.check(power("shutoff", { force: true })))).toEqual(["changed"]);
    expect(await state()).toBe("running");
    expect(outcomes(await host.apply(power("shutoff", { force: true })))).toEqual(["changed"]);
    expect(await state()).toBe("shut off");
    expect(await defined()).toBe(definition);
    expect(outcomes(await host.apply(power("shutoff")))).toEqual(["ok"]);
    expect(outcomes(await host.check(power("running")))).toEqual(["changed"]);
    expect(outcomes(await host.apply(power("running"), power("running")))).toEqual(["changed", "ok"]);
    expect(await state()).toBe("running");
    expect(await defined()).toBe(definition);
  });

  test("keeps running if it does not react in time, unless force powers it off", async () => {
    const [end] = await host.apply(power("shutoff"));
    expect(end?.error?.code).toBe("E_STEP");
    expect(await state()).toBe("running");
  });

  test("is not started without its disk, in check mode or in a run", async () => {
    await host.sh(`virsh destroy node-1 && mv ${extra} ${extra}.away`);
    expect(await bothRefuse(host, power("running"))).toEqual(["disk-missing", "disk-missing"]);
    expect(outcomes(await host.apply(power("shutoff")))).toEqual(["ok"]);
    await host.sh(`mv ${extra}.away ${extra}`);
    expect(outcomes(await host.apply(power("running")))).toEqual(["changed"]);
  });

  test("is not started on a network that is not active", async () => {
    await host.sh("virsh destroy node-1 && virsh net-destroy vlan1");
    expect(await bothRefuse(host, power("running"))).toEqual(["network-inactive", "network-inactive"]);
    await host.sh("virsh net-start vlan1");
    expect(outcomes(await host.apply(power("running")))).toEqual(["changed"]);
  });

  test("is refused if it is paused, and powered off by force", async () => {
    await host.sh("virsh suspend node-1");
    expect(await bothRefuse(host, power("shutoff"))).toEqual(["domain-paused", "domain-paused"]);
    expect(outcomes(await host.apply(power("shutoff", { force: true })))).toEqual(["changed"]);
    expect(await defined()).toBe(definition);
  });
});

describe("a guest that libvirt does not know, or would forget", () => {
  test("is not created", async () => {
    for (const wanted of ["running", "shutoff"] as const) {
      expect(await bothRefuse(host, libvirtPower({ name: "node-9", state: wanted }))).toEqual([
        "domain-missing",
        "domain-missing",
      ]);
    }
    expect(await host.sh("virsh list --all --name")).not.toContain("node-9");
  });

  test("is not shut down if its definition is not stored", async () => {
    await host.sh("virsh dumpxml --inactive node-1 >/tmp/n.xml && virsh undefine node-1 && virsh create /tmp/n.xml");
    const forced = power("shutoff", { force: true });
    expect(await bothRefuse(host, forced)).toEqual(["domain-transient", "domain-transient"]);
    await host.sh("virsh define /tmp/n.xml");
    expect(outcomes(await host.apply(forced))).toEqual(["changed"]);
  });
});
