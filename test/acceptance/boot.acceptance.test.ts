import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bootArtifacts } from "../../roles/boot-artifacts/role.ts";
import { bootServer } from "../../roles/boot-server/role.ts";
import type { Cluster } from "../../roles/cluster/cluster-fields.ts";
import { teardown } from "../../roles/teardown/role.ts";
import { vmNetwork } from "../../roles/vm-network/role.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { serveArtifacts } from "../../src/lab/index.ts";
import { httpWait, libvirtNet } from "../../tasks/index.ts";
import { refusals } from "../libvirt/guest.ts";
import { type HarvesterHost, harvesterHost, until } from "./harvester-host.ts";
import { changes, hostFacts, machine, threeNodes } from "./roles-on-host.ts";

let host: HarvesterHost;
beforeAll(async () => {
  host = await harvesterHost("boot", 0);
  await host.sh("{ apt-get -q update && apt-get -q -y install socat; } >/dev/null 2>&1");
  await host.sh("mkdir -p /srv/www/harvester /mnt/datadisk1 /mnt/datadisk2");
});
afterAll(() => host.down());

const cluster = threeNodes();
const server = (): Node => bootServer({ cluster, facts: hostFacts, publicAddress: "203.0.113.10" });

describe("the nodes' network", () => {
  test("is created, started or enabled at boot by a single change, and needs no change if it is correct", async () => {
    expect((await changes(host, vmNetwork({ cluster, facts: hostFacts }))).at(-1)).toBe("changed libvirtNet vlan1");
    expect(await changes(host, vmNetwork({ cluster, facts: hostFacts }))).toEqual([]);
    for (const undo of ["virsh net-destroy vlan1", "virsh net-autostart --disable vlan1"]) {
      await host.sh(undo);
      expect(await changes(host, vmNetwork({ cluster, facts: hostFacts }))).toEqual(["changed libvirtNet vlan1"]);
      expect(await changes(host, vmNetwork({ cluster, facts: hostFacts }))).toEqual([]);
    }
    expect(await host.sh("virsh net-info vlan1")).toMatch(/Active: +yes[^]*Autostart: +yes/);
  });

  test("moves to another subnet, but keeps its UUID, if no node runs on it", async () => {
    const uuid = await host.sh("virsh net-uuid vlan1");
    const network = { address: "192.168.140.1", vip: "192.168.140.120", firstNode: "192.168.140.11" };
    const moved = vmNetwork({ cluster: threeNodes({ network }), facts: hostFacts });
    expect(await changes(host, moved)).toEqual(["changed libvirtNet vlan1"]);
    expect(await host.sh("ip -4 -o addr show virbr1")).toContain("192.168.140.1/24");
    expect(await changes(host, vmNetwork({ cluster, facts: hostFacts }))).toEqual(["changed libvirtNet vlan1"]);
    expect(await host.sh("virsh net-uuid vlan1")).toBe(uuid);
  });

  test("is refused if libvirt's own network uses the same subnet, and the error names that network", async () => {
    await host.sh(`virsh net-info default >/dev/null 2>&1 || virsh net-define /usr/share/libvirt/networks/default.xml
virsh net-list --name | grep -qx default || virsh net-start default`);
    const ends = await host.apply(libvirtNet({ name: "vlan9", bridge: "virbr9", address: "192.168.122.1" }));
    expect(refusals(ends)).toEqual(["subnet-taken"]);
    expect(ends[0]?.error?.message).toContain("that of network default");
    await host.sh("virsh net-destroy default");
  });
});

describe("the boot server", () => {
  test("reports a version that the download server does not have, and saves no file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "furrow-empty-"));
    const mirror = await serveArtifacts(folder, host.lab.gateway);
    const { artifacts: _there, ...rest } = cluster;
    const unknown: Cluster = { ...rest, version: "v9.9.9", mirror: `${mirror.url}/{version}` };
    const ends = await host.apply(bootArtifacts({ cluster: unknown }));
    await mirror.close();
    await rm(folder, { recursive: true });
    const said = JSON.stringify(ends.at(-1)?.error?.failure);
    expect(said).toContain("harvester-v9.9.9-amd64.sha512");
    expect(said).toContain("404");
    expect(await host.sh("ls /srv/www/harvester")).toBe("");
  });

  test("is reported if it listens on another address", async () => {
    await host.sh(`cat >/etc/nginx/nginx.conf <<'CONF'
events {}
http { server { listen 127.0.0.1:80; root /srv/www/harvester; } }
CONF
systemctl restart nginx`);
    const url = "http://192.168.130.1/boot.ipxe";
    const [end] = await host.apply(httpWait({ url, from: "host", intervalSeconds: 0.2, deadlineSeconds: 1 }));
    expect(JSON.stringify(end?.error?.failure)).toContain("listens on another address or port");
  });

  test("says why it cannot start if its port is taken, and starts once the port is free", async () => {
    await host.sh(
      "systemctl stop nginx; systemd-run -q --collect --unit=other socat TCP-LISTEN:80,fork,reuseaddr SYSTEM:true",
    );
    await until(async () => (await host.sh("ss -ltnH sport = :80")).includes(":80"));
    const failed = (await host.apply(server())).at(-1);
    expect(JSON.stringify(failed?.error?.failure)).toContain("Address already in use");
    await host.sh("systemctl stop other");
    expect((await changes(host, server())).filter((line) => !line.startsWith("changed "))).toEqual([]);
    expect(await changes(host, server())).toEqual([]);
  });

  test("gives each of two nodes that boot at the same time its own script", async () => {
    expect(await changes(host, machine(cluster, 1), machine(cluster, 2))).toHaveLength(2);
    const scriptsOf = async (index: number): Promise<string[]> => {
      const log = await host.sh("cat /var/log/nginx/harvester.log 2>/dev/null || true");
      const lines = log.matchAll(new RegExp(`^192\\.168\\.130\\.1${index} 200 \\d+ /nodes/(\\S+) [\\d.]+$`, "gm"));
      return [...new Set([...lines].map(([, name]) => name ?? ""))];
    };
    for (const index of [1, 2]) await until(async () => (await scriptsOf(index)).length > 0, 240);
    for (const index of [1, 2]) expect(await scriptsOf(index)).toEqual([`52-54-00-68-76-0${index}.ipxe`]);
  });

  test("keeps the nodes' network on its subnet while nodes run on it", async () => {
    const network = { address: "192.168.140.1", vip: "192.168.140.120", firstNode: "192.168.140.11" };
    const [end] = (await host.apply(vmNetwork({ cluster: threeNodes({ network }), facts: hostFacts }))).slice(-1);
    expect(end?.error?.failure).toMatchObject({ current: "harvester-1, harvester-2" });
    expect(await host.sh("ip -4 -o addr show virbr1")).toContain("192.168.130.1/24");
  });
});

test("nginx still starts after the cluster has been destroyed and the nodes' network is gone", async () => {
  const gone = teardown({ cluster, removeDisks: false, publicAddress: "203.0.113.10" });
  await host.apply(vmNetwork({ cluster, facts: hostFacts }), server());
  expect(await host.sh("systemctl is-active nginx")).toBe("active\n");
  expect((await changes(host, gone)).filter((one) => !one.startsWith("changed"))).toEqual([]);
  expect(await host.sh("ip -4 -o addr show to 192.168.130.1")).toBe("");
  await host.sh("nginx -t && systemctl start nginx && systemctl is-active nginx && systemctl stop nginx");
  expect(await host.sh("systemctl show -P NeedDaemonReload nginx")).toBe("no\n");
  expect(await changes(host, gone)).toEqual([]);
});
