import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { standIns } from "stand-in-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { artifactNames } from "../../../roles/cluster/releases.ts";
import {
  type ArtifactServer,
  hostLeader,
  type Lab,
  labDown,
  type LabHost,
  labUp,
  runInHost,
  serveArtifacts,
} from "../../../src/lab/index.ts";
import { Clone, commandsIn } from "../../cloud/pages/clone.ts";
import { covered } from "../../covered.ts";
import { nodeOf } from "../../guards/examples.ts";
import { AnsweringServer } from "../../kube/server/answering-server.ts";
import { commandsOf, guide, perform, putFiles, putOwn } from "../../kube/pages/perform.ts";
import { Issuer } from "../../issued.ts";
import { IpmiSimulator, missingIpmiPrograms } from "../../power/ipmi-simulator.ts";
import { RedfishServer } from "../../power/redfish-server.ts";
import { installedRows, type LabRow, nodeRows, powerRows, rackRows } from "./lab-rows.ts";
import { addRancher, entries, loadModules, prepareForCeph, startLikeNode, startOf } from "./node-parts.ts";

const name = `pages-${process.pid}`;
const version = "v1.8.1";
const cluster = new AnsweringServer();
let clone: Clone;
let lab: Lab;
let artifacts: string;
let server: ArtifactServer;
let [one, two, three] = [] as unknown as [LabHost, LabHost, LabHost];

beforeAll(async () => {
  artifacts = await standIns(artifactNames(version));
  lab = await labUp({ hosts: 3, disks: 2, diskSizeBytes: 64 * 2 ** 20, name, libvirt: true, replace: true });
  [one, two, three] = lab.hosts as [LabHost, LabHost, LabHost];
  server = await serveArtifacts(artifacts, lab.gateway);
  await cluster.up();
  clone = new Clone();
  for (const key of ["id_ed25519", "guests", "harvester"])
    writeFileSync(join(clone.home, ".ssh", key), readFileSync(lab.identityFile), { mode: 0o600 });
  writeFileSync(join(clone.home, ".ssh/known_hosts"), readFileSync(lab.knownHostsFile));
  putOwn(clone, { "harvester.kubeconfig": readFileSync(cluster.kubeconfig, "utf8") });
});

afterAll(async () => {
  clone?.remove();
  cluster.down();
  await server?.close();
  await labDown({ name });
  await rm(artifacts, { recursive: true });
});

const titled = (rows: readonly LabRow[]) =>
  rows.map((row) => [`docs/guides/${row.page}.md: ${row.start.replaceAll("\n", "; ")}`, row] as const);

/** Runs a block. Returns the expected output that the block did not print. */
async function performed(row: LabRow, ...placeholders: [placeholder: string, value: string][]): Promise<string> {
  clone.placeholders.splice(0, Infinity, ...placeholders);
  for (const page of [row.filesOf, row.page]) if (page !== undefined) putFiles(clone, page);
  covered(`docs/guides/${row.page}.md: a block run word for word on lab hosts`);
  return perform(clone, row);
}

const list = (kind: string, ...items: readonly object[]) => [
  { status: 200, body: { kind: `${kind}List`, metadata: {}, items } },
];

describe("nodes and guests", () => {
  beforeAll(async () => {
    const guest = {
      metadata: { name: "web", namespace: "default" },
      status: { phase: "Running", nodeName: "harvester-1", interfaces: [{ ipAddress: two.address }] },
    };
    cluster.said = {
      "GET /api/v1/nodes": list("Node", nodeOf("harvester-1", { address: one.address })),
      "GET /apis/kubevirt.io/v1/virtualmachineinstances": list("VirtualMachineInstance", guest),
      "GET /apis/kubevirt.io/v1/virtualmachines": list("VirtualMachine"),
      "GET /apis/harvesterhci.io/v1beta1/settings/server-version": [
        { status: 200, body: { kind: "Setting", metadata: { name: "server-version" }, value: "v1.3.0" } },
      ],
    };
    // The lab masks this timer on its hosts.
    await runInHost(two, ["systemctl", "unmask", "fstrim.timer"]);
  });

  test.each(titled(nodeRows))("%s works word for word", { timeout: 300_000 }, async (_, row) => {
    const unsaid = await performed(
      row,
      ["192.168.10.11", one.address],
      ["192.168.10.12", two.address],
      ["192.168.10.13", three.address],
      ['"rancher"', '"root"'],
      ['"ubuntu"', '"root"'],
    );
    expect(unsaid).toBe("");
  });
});

describe("the settings with which nodes were installed", () => {
  const { boot, ceph } = installedRows;
  const addresses = (): [placeholder: string, value: string][] =>
    lab.hosts.map(({ address }, at) => [`192.168.10.1${at + 1}`, address]);
  beforeAll(() => Promise.all(lab.hosts.map(addRancher)));

  test(`${guide(boot.page)}: its commands change how two of three nodes boot, and only once`, async () => {
    await startLikeNode(one, { table: "/sys/firmware/ibft", readsVariable: true });
    await startLikeNode(two, { table: "/sys/firmware/acpi/tables/iBFT" });
    await startLikeNode(three, {});
    expect(await performed(boot, ...addresses())).toBe("");
    const changed = entries
      .replace("multipath=off", "multipath=off rd.iscsi.firmware rd.iscsi.ibft")
      .replace("$kernelcmd rd.iscsi.ibft", "$kernelcmd rd.iscsi.ibft rd.iscsi.firmware");
    const environment = "# GRUB Environment Block\nthird_party_kernel_args=rd.iscsi.firmware rd.iscsi.ibft\n";
    const ends = [
      { entries, environment: environment.padEnd(1024, "#"), mount: "ro" },
      { entries: changed, environment: "", mount: "ro" },
      { entries, environment: "", mount: "ro" },
    ];
    expect(await Promise.all(lab.hosts.map(startOf))).toEqual(ends);
    const [, run = ""] = commandsIn(commandsOf(boot.page, boot.start).text);
    const again = await clone.run({ ...commandsOf(boot.page, boot.start), text: run });
    expect(again.map(({ output }) => output).join()).toMatch(/^0 changed, .* ok/m);
    expect(await Promise.all(lab.hosts.map(startOf))).toEqual(ends);
  });

  test(`${guide(ceph.page)}: its command refuses nodes until they have the page's configuration`, async () => {
    await prepareForCeph(one, "ceph");
    await prepareForCeph(two);
    const refused = await performed(ceph, ...addresses()).catch(String);
    expect(refused).toMatch(/^0 changed, 1 ok, 2 failed/m);
    const reasons = (host: LabHost): (string | undefined)[] =>
      [...refused.matchAll(/E_REFUSED: (.*)/g)]
        .map(([, text]) => text?.trim())
        .filter((text) => text?.includes(host.name));
    expect(reasons(two)).toEqual([`${two.name} has not loaded the kernel module ceph`]);
    expect(reasons(three)).toEqual([
      [
        ...["rook", "ceph"].map((name) => `/var/lib/${name} of ${three.name} does not survive a reboot`),
        ...["rbd", "nbd", "ceph"].map((name) => `${three.name} has not loaded the kernel module ${name}`),
      ].join("; "),
    ]);
    await loadModules(two, "ceph");
    await prepareForCeph(three, "ceph");
    expect(await performed(ceph, ...addresses())).toBe("");
  });
});

describe("a rack", () => {
  beforeAll(async () => {
    const setUp = `ip link add rack0 type bridge; ip addr add 192.168.0.90/24 dev rack0; ip link set rack0 up
ip link add port0 type veth peer name card; ip link set port0 master rack0 up; ip link set card up
ip link add eno1.20 type veth peer name vlan20; ip link set vlan20 up
ip addr add 10.20.0.3/24 dev eno1.20; ip link set eno1.20 up`;
    await runInHost(three, ["sh", "-ec", setUp]);
  });

  test.each(titled(rackRows))("%s works word for word", { timeout: 900_000 }, async (_, row) => {
    const files = `${server.url}/harvester-${version}`;
    const own = {
      kernel: { url: `${files}-vmlinuz-amd64` },
      initrd: { url: `${files}-initrd-amd64` },
      rootfs: { url: `${files}-rootfs-amd64.squashfs` },
      iso: { url: `${files}-amd64.iso` },
      checksums: `${server.url}/sha512`,
    };
    const unsaid = await performed(
      row,
      ['pxe1: { address: "192.168.0.90" }', `pxe1: { address: "${three.address}" }`],
      [`version: "${version}",`, `version: "${version}", artifacts: ${JSON.stringify(own)},`],
    );
    expect(unsaid).toBe("");
  });
});

describe.skipIf(missingIpmiPrograms.length > 0)("machines with management controllers", () => {
  const redfish = new RedfishServer();
  const ipmi = new IpmiSimulator(redfish.login, { address: "127.0.0.62", port: 623 });

  beforeAll(async () => {
    const issuer = new Issuer(clone.folder);
    issuer.authority("ca");
    issuer.issue("bmc", "ca", "IP:127.0.0.1");
    await redfish.up({ cert: issuer.text("bmc.crt"), key: issuer.text("bmc.key") });
    await ipmi.up();
    clone.env["NODE_EXTRA_CA_CERTS"] = issuer.path("ca.crt");
    cluster.said = {
      "GET /api/v1/nodes": list(
        "Node",
        nodeOf("node-1", { address: "192.168.10.11" }),
        nodeOf("node-2", { address: "192.168.10.12" }),
        nodeOf("node-3", { address: one.address }),
      ),
      "GET /apis/kubevirt.io/v1/virtualmachineinstances": list("VirtualMachineInstance"),
      "GET /apis/longhorn.io/v1beta2/namespaces/longhorn-system/volumes": list("Volume"),
      "GET /apis/harvesterhci.io/v1beta1/namespaces/harvester-system/upgrades": list("Upgrade"),
    };
  });
  afterAll(() => {
    redfish.down();
    ipmi.down();
  });

  test.each(titled(powerRows))("%s works word for word", { timeout: 600_000 }, async (_, row) => {
    const unsaid = await performed(
      row,
      ["BMC_PASSWORD=…", `BMC_PASSWORD=${redfish.login.password}`],
      ["https://bmc-1.example.org", redfish.url],
      ['address: "bmc-2.example.org"', `address: "${ipmi.access.address}", cipherSuite: 3`],
      ["192.168.10.13", one.address],
      ['"rancher"', '"root"'],
      ["/root/harvester-shutdown.json", join(clone.folder, "shutdown.json")],
    );
    expect(unsaid).toBe("");
    expect([redfish.power, ipmi.power]).toEqual([row.start.includes("one.ts") ? "On" : "Off", "0"]);
    expect(await hostLeader(one)).toBeUndefined();
  });
});
