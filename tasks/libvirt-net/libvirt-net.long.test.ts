import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { libvirtDomain, libvirtNet as libvirtNetFact, shellQuote } from "../../src/authoring.ts";
import { diskImage, libvirtOverview } from "../../src/facts/catalogue.ts";
import type { Question } from "../../src/core/facts/fact.ts";
import { kindOf, scriptOf } from "../../src/core/facts/kind.ts";
import { labDown } from "../../src/lab/index.ts";
import { covered } from "../../test/covered.ts";
import {
  base,
  bothRefuse,
  image,
  kept,
  libvirtHost,
  mac,
  net,
  node,
  noNet,
  refusals,
} from "../../test/libvirt/guest.ts";
import type { TaskEnd, TaskHost } from "../../test/tasks/on-host.ts";
import { outcomes } from "../../test/tasks/one-lab-host.ts";
import { file } from "../file/file.ts";
import { service } from "../service/service.ts";
import { libvirtNet } from "./libvirt-net.ts";

const name = "libvirt-net-task";
let host: TaskHost;
beforeAll(async () => {
  host = await libvirtHost(name);
  await host.sh("busybox true || { apt-get -q update && apt-get -q -y install busybox; }");
});
afterAll(() => labDown({ name }));

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

  test("is predicted on an empty host, created, and then left alone", async () => {
    expect(refusals(await host.check(node()))).toEqual(["network-missing"]);
    expect(outcomes(await host.check(...boot))).toEqual(Array(5).fill("changed"));
    expect(outcomes(await host.apply(...boot))).toEqual(Array(5).fill("changed"));
    expect(outcomes(await host.check(...boot))).toEqual(Array(5).fill("ok"));
    const again = await host.apply(...boot);
    expect(outcomes(again)).toEqual(Array(5).fill("ok"));
    expect(again.flatMap(({ notes }) => notes)).toEqual([]);
    expect(await host.sh(`stat -c %a ${image}`)).toBe("600\n");
  });

  test("has its reserved address, and runs its own script", async () => {
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

describe("a network that a running guest uses", () => {
  test("applies a reservation without a restart", async () => {
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

  test("is redefined for other changes, and reports what needs a restart", async () => {
    const notes = ["needs a restart for domain, once node-1 no longer uses it"];
    const [check] = await host.check(net({ domain: "lab.internal" }));
    expect(check).toMatchObject({ outcome: "changed", notes });
    expect((await host.apply(net({ domain: "lab.internal" })))[0]).toMatchObject({ outcome: "changed", notes });
    expect((await host.apply(net({ domain: "lab.internal" })))[0]).toMatchObject({ outcome: "ok", notes });
    expect((await host.apply(net({ domain: "" })))[0]).toMatchObject({ outcome: "changed", notes: [] });
  });

  test("is neither stopped nor removed", async () => {
    expect(await bothRefuse(host, net({ state: "inactive" }))).toEqual(["network-in-use", "network-in-use"]);
    expect(await bothRefuse(host, noNet)).toEqual(["network-in-use", "network-in-use"]);
    expect(await host.sh("virsh net-list --name")).toContain("vlan1");
  });

  test("lets no other network use its bridge or subnet", async () => {
    const other = { name: "other", bridge: "virbr7", address: "10.66.0.1" };
    expect(refusals(await host.check(libvirtNet({ ...other, bridge: "virbr1" })))).toEqual(["bridge-taken"]);
    expect(refusals(await host.check(libvirtNet({ ...other, address: "10.55.0.77" })))).toEqual(["subnet-taken"]);
    const third = libvirtNet({ ...other, name: "third", address: "10.67.0.1" });
    expect(refusals(await host.check(libvirtNet(other), third))).toEqual([undefined, "bridge-taken"]);
  });

  test("names settings that others changed, and reverts them", async () => {
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

test("gives the same libvirt facts in every shell", async () => {
  const facts = [libvirtNetFact("vlan1"), libvirtNetFact("nosuch"), libvirtDomain("node-1"), libvirtOverview()];
  for (const fact of [...facts, diskImage(image)]) {
    const asked = { ...(fact as Question), number: 7 };
    const script = shellQuote(scriptOf(kindOf(asked.kind), [asked]));
    const [first, ...others] = await Promise.all(
      ["sh", "bash", "busybox sh"].map((shell) => host.sh(`LC_ALL=C ${shell} -c ${script} 2>&1 </dev/null`)),
    );
    expect(first).toMatch(/^7 [a-z]/);
    for (const other of others) expect(other).toBe(first);
  }
});
