import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exposure } from "../../roles/exposure/role.ts";
import { attachedDisks } from "../../roles/harvester-nodes/attached-disks.ts";
import { vmNetwork } from "../../roles/vm-network/role.ts";
import { watchdog } from "../../roles/watchdog/role.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { freshDisk } from "../../src/lab/index.ts";
import { file, service } from "../../tasks/index.ts";
import { refusals } from "../libvirt/guest.ts";
import {
  artifactsThere,
  type HarvesterHost,
  harvesterHost,
  type HostVars,
  smallCluster,
  until,
} from "./harvester-host.ts";
import { changes, hostFacts, machine, threeNodes } from "./roles-on-host.ts";

let host: HarvesterHost;
beforeAll(async () => {
  host = await harvesterHost("nodes", 0);
  await host.sh("{ apt-get -q update && apt-get -q -y install socat; } >/dev/null 2>&1");
  await host.sh("mkdir -p /mnt/datadisk1 /mnt/datadisk1-2");
  await host.apply(vmNetwork({ cluster, facts: hostFacts }), machine(cluster, 1));
});
afterAll(() => host.down());

const cluster = threeNodes();
const image = "/mnt/datadisk1/harvester-data.qcow2";
const first = machine(cluster, 1);
const state = async (): Promise<string> => (await host.sh("virsh domstate --reason harvester-1")).trim();
const started = "changed libvirtDomain harvester-1";

describe("a node's virtual machine", () => {
  test("serves its VNC screen on the loopback interface only", async () => {
    expect(await changes(host, first)).toEqual([]);
    const listens = await host.sh("ss -ltnH sport = :5901");
    expect(listens).toContain("127.0.0.1:5901");
    expect(listens.trim().split("\n")).toHaveLength(1);
  });

  test("is started if it is off or its process has died", async () => {
    await host.sh("virsh destroy harvester-1");
    expect(await changes(host, first)).toEqual([started]);
    await host.sh("kill -9 $(cat /run/libvirt/qemu/harvester-1.pid)");
    await until(async () => (await state()).startsWith("shut off"));
    expect(await state()).toBe("shut off (crashed)");
    expect(await changes(host, first)).toEqual([started]);
    expect(await changes(host, first)).toEqual([]);
  });

  test("is reported and left alone if it is paused", async () => {
    await host.sh("virsh suspend harvester-1");
    const ends = await host.apply(first);
    expect(refusals(ends)).toEqual(["domain-paused"]);
    expect(ends[0]?.error?.failure.hint).toContain("virsh resume harvester-1");
    await host.sh("virsh resume harvester-1");
  });

  test("keeps running when it gets more memory, and a note says what needs a restart", async () => {
    const pid = await host.sh("cat /run/libvirt/qemu/harvester-1.pid");
    const size = { processors: 1, memoryMiB: 320, diskGiB: 1 };
    const [end] = await host.apply(machine(threeNodes({ size }), 1));
    expect(end).toMatchObject({ outcome: "changed", notes: ["needs a restart for memoryMiB"] });
    expect(await host.sh("cat /run/libvirt/qemu/harvester-1.pid")).toBe(pid);
    expect(await changes(host, first)).toEqual([started]);
  });

  test("is defined again if its definition is lost, and every byte of its existing disk is kept", async () => {
    await host.sh(`virsh destroy harvester-1; virsh undefine harvester-1
qemu-io -c 'write -P 0x5a 1M 64k' ${image} >/dev/null`);
    const before = await host.sh(`stat -c %i ${image}; sha256sum ${image}`);
    const stopped = machine({ ...cluster, emulation: "software" }, 1);
    expect(await changes(host, stopped)).toEqual([started]);
    expect(await host.sh(`stat -c %i ${image}; virsh domblklist harvester-1`)).toContain(image);
    await host.sh("virsh destroy harvester-1");
    expect(await host.sh(`stat -c %i ${image}; sha256sum ${image}`)).toBe(before);
    expect(await changes(host, first)).toEqual([started]);
  });

  test("gets an extra disk while it is running, and still has it exactly once after a restart", async () => {
    const more = threeNodes({ extraDisks: [{ node: 1, device: "/dev/disk/by-id/d", sizeGiB: 1 }] });
    const both: readonly Node[] = [machine(more, 1), attachedDisks({ cluster: more })];
    const extra = "/mnt/datadisk1-2/harvester-data.qcow2";
    const pid = await host.sh("cat /run/libvirt/qemu/harvester-1.pid");
    expect(await changes(host, ...both)).toHaveLength(2);
    expect(await host.sh("virsh domblklist harvester-1")).toContain(extra);
    expect(await host.sh("cat /run/libvirt/qemu/harvester-1.pid")).toBe(pid);
    expect(await changes(host, ...both)).toEqual([]);
    const inode = await host.sh(`stat -c %i ${extra}`);
    await host.sh("virsh destroy harvester-1; virsh start harvester-1");
    expect((await host.sh("virsh domblklist harvester-1")).split(extra)).toHaveLength(2);
    expect(await changes(host, ...both)).toEqual([]);
    expect(await host.sh(`stat -c %i ${extra}`)).toBe(inode);
  });
});

describe("the watchdog", () => {
  const script = "/usr/local/sbin/furrow-node-watchdog 2>&1";

  test("starts a node that is off, but not during maintenance", async () => {
    await host.apply(watchdog({ cluster: { ...cluster, nodes: 1 } }));
    await host.sh("virsh destroy harvester-1; touch /etc/furrow-maintenance");
    expect(await host.sh(script)).toBe("");
    expect(await state()).toBe("shut off (destroyed)");
    await host.sh("rm /etc/furrow-maintenance");
    expect(await host.sh(script)).toContain("harvester-1 is shut off: starting it");
    expect(await state()).toContain("running");
  });

  test("asks the user to examine a paused node", async () => {
    await host.sh("virsh suspend harvester-1");
    expect(await host.sh(script)).toBe("harvester-1 is paused: check it\n");
    await host.sh("virsh resume harvester-1");
    expect(await host.sh(script)).toBe("");
  });
});

describe("exposure", () => {
  test("reloads and restarts a unit once after its link has changed, and leaves it alone in later runs", async () => {
    const starts = (): Promise<string> =>
      host.sh("systemctl show -p InvocationID --value harvester-expose-443 harvester-expose-6443");
    const of = (vip: string): Node => exposure({ cluster: threeNodes({ network: { vip } }), facts: hostFacts });
    await host.apply(of("192.168.130.120"));
    const before = await starts();
    expect(await changes(host, of("192.168.130.120"))).toEqual([]);
    expect(await starts()).toBe(before);
    expect(await changes(host, of("192.168.130.121"))).toHaveLength(4);
    const after = await starts();
    expect(after).not.toBe(before);
    expect(await host.sh("systemctl show -p NeedDaemonReload --value harvester-expose-443")).toBe("no\n");
    expect(await host.sh("ps -o args= -C socat")).toContain("TCP:192.168.130.121:443");
    expect(await changes(host, of("192.168.130.121"))).toEqual([]);
    expect(await starts()).toBe(after);
    await host.sh("systemctl disable --now -q harvester-expose-443 harvester-expose-6443");
  });

  test("reloads a changed unit once if two roles use it, both in check mode and in a run", async () => {
    const unit = (seconds: number): readonly Node[] => {
      const content = `[Service]\nExecStart=/bin/sleep ${seconds}\n[Install]\nWantedBy=multi-user.target\n`;
      const twice = service({ name: "named-twice", state: "started", enabled: true });
      return [file({ path: "/etc/systemd/system/named-twice.service", content }), twice, twice];
    };
    await host.apply(...unit(100_000));
    const outcomes = (ends: readonly { readonly outcome: string }[]): string[] => ends.map(({ outcome }) => outcome);
    const foreseen = outcomes(await host.check(...unit(200_000)));
    expect(foreseen).toEqual(["changed", "changed", "ok"]);
    expect(outcomes(await host.apply(...unit(200_000)))).toEqual(foreseen);
    await host.sh("systemctl disable --now -q named-twice");
  });
});

describe("the playbook's preflight", () => {
  const vars = (disks: string[], more: object = {}): HostVars => ({
    ...smallCluster,
    prefix: "new",
    disks,
    artifacts: artifactsThere(),
    network: { name: "vlan2", bridge: "virbr2", address: "10.66.0.1", vip: "10.66.0.120", firstNode: "10.66.0.11" },
    ...more,
  });
  const untouched = (ends: readonly { readonly outcome: string }[]): void => {
    expect(ends.filter(({ outcome }) => outcome === "changed")).toEqual([]);
  };

  test("names a missing disk and the existing disks, before it changes anything", async () => {
    const there = await freshDisk(host.labHost);
    const ends = await host.furrow("run", vars(["/dev/disk/by-id/nope"], { diskDeadlineSeconds: 1 }));
    const said = JSON.stringify(ends.at(-1)?.error);
    expect(said).toContain("disk /dev/disk/by-id/nope does not exist");
    expect(said).toContain(there.path);
    untouched(ends);
  });

  test("refuses a port on which something else listens, before it changes anything", async () => {
    const there = await freshDisk(host.labHost);
    await host.sh("systemd-run -q --collect --unit=other socat TCP-LISTEN:443,fork,reuseaddr SYSTEM:true");
    await until(async () => (await host.sh("ss -ltnH sport = :443")).includes(":443"));
    const ends = await host.furrow("run", vars([there.path]));
    await host.sh("systemctl stop other");
    expect(ends.at(-1)?.error?.what).toContain("something on the host listens on port 443");
    untouched(ends);
  });

  test("requires /dev/kvm; if it is missing, names the setting that enables it on each cloud, and changes nothing", async () => {
    const there = await freshDisk(host.labHost);
    const wanted = vars([there.path], { emulation: "kvm" });
    await host.sh("rm -f /dev/kvm");
    for (const verb of ["check", "run"] as const) {
      const ends = await host.furrow(verb, wanted);
      expect(ends.at(-1)?.title).toContain("the host can run 1 node");
      const said = JSON.stringify(ends.at(-1)?.error);
      expect(said).toContain("/dev/kvm cannot be opened");
      for (const name of ["enableNestedVirtualization", "cpuOptions.nestedVirtualization", "Dsv5"])
        expect(said).toContain(name);
      untouched(ends);
    }
    await host.sh("touch /dev/kvm");
    const ends = await host.furrow("check", wanted);
    await host.sh("rm /dev/kvm");
    expect(ends.find(({ title }) => title.startsWith("the host can run"))?.outcome).toBe("ok");
  });

  test("waits for a disk that is attached during the run", async () => {
    const before = await freshDisk(host.labHost);
    const number = Number(/-(\d+)$/.exec(before.path)?.[1]);
    const late = before.path.replace(/\d+$/, String(number + 1));
    await host.sh("systemd-run -q --collect --unit=other socat TCP-LISTEN:6443,fork,reuseaddr SYSTEM:true");
    let said = "";
    const run = host.furrow("run", vars([late], { diskDeadlineSeconds: 120 }), (text) => (said += text));
    await until(() => Promise.resolve(/"type":"taskStarted"[^\n]*1 data disk is attached/.test(said)), 60);
    const plugged = await freshDisk(host.labHost);
    expect(plugged.path).toBe(late);
    const ends = await run;
    await host.sh("systemctl stop other");
    expect(ends.map(({ title, outcome }) => `${outcome} ${title}`)).toContain("ok 1 data disk is attached");
    // The port is occupied so that the run ends at this point.
    expect(ends.at(-1)?.error?.what).toContain("port 6443");
    untouched(ends);
  });
});
