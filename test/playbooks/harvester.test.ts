import { describe, expect, test } from "vitest";
import addNode from "../../playbooks/harvester-add-node.ts";
import destroy from "../../playbooks/harvester-destroy.ts";
import harvester from "../../playbooks/harvester.ts";
import { hostFacts } from "../../src/authoring.ts";
import { gptAreas } from "../../src/facts/catalogue.ts";
import { simulate, type SimulatedState, type Simulation } from "../../src/testing/index.ts";
import { marksOf } from "../../tasks/disk/marks.ts";

const vars = {
  nodes: 3,
  size: { processors: 1, memoryMiB: 512, diskGiB: 2 },
  disks: ["/dev/disk/by-id/a", "/dev/disk/by-id/b", "/dev/disk/by-id/c"],
  token: "t",
  password: "p",
};
const artifact = { url: "http://mirror/x", checksum: `sha512:${"0".repeat(128)}` };
const artifacts = { kernel: artifact, initrd: artifact, rootfs: artifact, iso: artifact };

const facts = {
  hostname: "metal",
  architecture: "x86_64",
  kernel: "6.4",
  processors: 64,
  memoryBytes: 256 * 2 ** 30,
  kvm: true,
  addresses: {},
};
const distributions = {
  debian: { id: "debian", version: "12", like: ["debian"] },
  sles: { id: "sles", version: "15.7", like: ["suse", "sles"] },
};
/** A blank data disk. */
function blank(device: string, path: string): SimulatedState {
  const disk = {
    type: "disk" as const,
    path,
    sizeBytes: 50 * 1024 ** 3,
    sectorBytes: 512,
    serial: path,
    readOnly: false,
    fileSystem: "",
    uuid: "",
    label: "",
    uses: [],
    carriesRoot: false,
    table: "",
    signatures: [],
    partitions: {},
  };
  const { head, tail } = gptAreas(marksOf("cafe", disk).unfinished);
  const zeros = (area: Uint8Array): string => Buffer.alloc(area.length).toString("base64");
  return {
    [`block-device:${device}`]: disk,
    [`disk-content:${device}`]: { data: "none", head: zeros(head), tail: zeros(tail) },
  };
}

const at = (os: object): SimulatedState => ({
  [`host:${hostFacts().key}`]: { ...facts, os },
  "file:/etc/machine-id": { text: "cafe\n" },
  "file:/etc/fstab": { text: "" },
  "file:/dev/kvm": { type: "other" },
  // The port does not accept logins yet.
  "port:192.168.130.11 22 virbr1": { open: false },
  "port:127.0.0.1 443": { open: false },
  "port:127.0.0.1 6443": { open: false },
  ...blank("/dev/disk/by-id/a", "/dev/sdb"),
  ...blank("/dev/disk/by-id/b", "/dev/sdc"),
  ...blank("/dev/disk/by-id/c", "/dev/sdd"),
});

/** Runs check mode on an empty host. It waits for nothing, and lists all planned work. */
function check(os: keyof typeof distributions, more: object = {}): Promise<Simulation> {
  return simulate(harvester, {
    hosts: ["metal"],
    vars: { ...vars, artifacts, ...more },
    state: { metal: at(distributions[os]) },
    drivers: { http: () => ({ status: 200, headers: {}, body: "" }), rancher: () => ({ found: false }) },
    mode: "check",
  });
}

const titles = ({ tasks }: Simulation): string[] => tasks.map(({ title }) => title);

describe("the deployment of three nodes", () => {
  test("starts each node once the previous node is part of the cluster", async () => {
    const nodes = titles(await check("debian")).filter((title) => /^libvirtDomain |answers at|has joined/.test(title));
    expect(nodes).toEqual([
      "libvirtDomain harvester-1",
      "harvester-1 answers at https://192.168.130.120/ping",
      "libvirtDomain harvester-2",
      "harvester-2 has joined (port 10250)",
      "libvirtDomain harvester-3",
      "harvester-3 has joined (port 10250)",
      "the cluster answers at https://metal",
    ]);
  });

  test("accepts a SUSE host as well as a Debian host", async () => {
    const [debian, sles] = await Promise.all([check("debian"), check("sles")]);
    const own = "/etc/systemd/system/";
    const instead: Readonly<Record<string, readonly string[]>> = {
      "packages for libvirt, QEMU, iPXE and nginx": ["packages for libvirt, QEMU, iPXE and nginx", "service cron"],
      [`file ${own}libvirtd.service.d`]: [`file ${own}virtqemud.service.d`],
      [`file ${own}libvirtd.service.d/furrow.conf`]: [`file ${own}virtqemud.service.d/furrow.conf`],
      "service libvirtd": ["virtnetworkd.socket", "virtqemud.socket", "virtnetworkd", "virtqemud"].map(
        (unit) => `service ${unit}`,
      ),
    };
    expect(titles(sles)).toEqual(titles(debian).flatMap((title) => instead[title] ?? [title]));
    expect(sles.tasks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(debian.tasks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  });

  test("refuses another distribution before it changes anything", async () => {
    const other = { id: "arch", version: "", like: ["arch"] };
    const run = await simulate(harvester, { hosts: ["metal"], vars, state: { metal: at(other) }, mode: "check" });
    expect(run.tasks).toHaveLength(1);
    expect(run.result.errors[0]?.message).toContain("the roles do not support");
  });

  test("includes the tasks for an air gap and for Rancher", async () => {
    const more = { airGap: {}, rancher: { url: "https://rancher.example.com", token: "t" } };
    const run = await check("debian", more);
    const added = titles(run).filter((title) => /air gap|air_gap|chrony|cannot reach|Rancher|registration/.test(title));
    expect(added).toEqual([
      "nftables inet harvester_air_gap",
      "file /etc/chrony/conf.d",
      "file /etc/chrony/conf.d/harvester.conf",
      "service chrony",
      "harvester-1 cannot reach 1.1.1.1",
      "harvester in Rancher at https://rancher.example.com",
      "Harvester's setting cluster-registration-url",
    ]);
    expect(run.tasks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  });
});

test("nodes are added only to a cluster that answers", async () => {
  const run = await simulate(addNode, {
    hosts: ["metal"],
    vars,
    state: {
      metal: {
        ...at(distributions.debian),
        [`hostHttp:${JSON.stringify({ url: "https://192.168.130.120/ping", timeoutSeconds: 10, insecure: true })}`]: {
          error: { code: "curl 7", message: "refused" },
        },
      },
    },
    mode: "check",
  });
  expect(run.tasks.at(-1)).toMatchObject({ title: "a cluster answers at 192.168.130.120", outcome: "failed" });
});

test("the destroy playbook changes nothing on a host without a cluster", async () => {
  const { tasks } = await simulate(destroy, { hosts: ["metal"], vars, state: { metal: at(distributions.debian) } });
  expect(tasks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});
