import { describe, expect, test } from "vitest";
import addDisk from "../../playbooks/harvester-add-disk.ts";
import addNode from "../../playbooks/harvester-add-node.ts";
import destroy from "../../playbooks/harvester-destroy.ts";
import harvester from "../../playbooks/harvester.ts";
import { simulate, type Simulation } from "../../src/testing/index.ts";
import { artifacts, distributions, emptyHost } from "./empty-host.ts";

const vars = {
  nodes: 3,
  size: { processors: 1, memoryMiB: 512, diskGiB: 2 },
  disks: ["/dev/disk/by-id/a", "/dev/disk/by-id/b", "/dev/disk/by-id/c"],
  token: "t",
  password: "a password",
};
const noKubeconfig = () => ({ error: { code: "no-kubeconfig", message: "the kubeconfig does not exist" } });

/** Runs check mode on an empty host. Check mode does not wait, and lists all planned work. */
function check(os: keyof typeof distributions, more: object = {}): Promise<Simulation> {
  return simulate(harvester, {
    hosts: ["metal"],
    vars: { ...vars, artifacts, ...more },
    state: { metal: emptyHost(distributions[os]) },
    drivers: {
      http: () => ({ status: 200, headers: {}, body: "" }),
      rancher: () => ({ found: false }),
      kubernetes: noKubeconfig,
    },
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
      "packages for libvirt, QEMU, iPXE and nginx": [
        "the machine is registered",
        "packages for libvirt, QEMU, iPXE and nginx",
        "service cron",
      ],
      [`file ${own}libvirtd.service.d`]: [`file ${own}virtqemud.service.d`],
      [`file ${own}libvirtd.service.d/furrow.conf`]: [`file ${own}virtqemud.service.d/furrow.conf`],
      "service libvirtd": [
        "libvirtd.socket",
        "libvirtd-ro.socket",
        "libvirtd-admin.socket",
        "libvirtd.service",
        "virtnetworkd.socket",
        "virtqemud.socket",
        "virtnetworkd",
        "virtqemud",
      ].map((unit) => `service ${unit}`),
    };
    expect(titles(sles)).toEqual(titles(debian).flatMap((title) => instead[title] ?? [title]));
    expect(sles.tasks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(debian.tasks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  });

  test("refuses another distribution before it changes anything", async () => {
    const other = { id: "arch", version: "", like: ["arch"] };
    const run = await simulate(harvester, {
      hosts: ["metal"],
      vars,
      state: { metal: emptyHost(other) },
      mode: "check",
    });
    expect(run.tasks.map(({ outcome }) => outcome)).toEqual(["ok", "failed"]);
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

describe.each([
  ["harvester", harvester],
  ["harvester-add-node", addNode],
  ["harvester-add-disk", addDisk],
])("the playbook %s", (_name, book) => {
  const marked = (text: string, mode: "check" | "apply" = "check"): Promise<Simulation> =>
    simulate(book, {
      hosts: ["metal"],
      vars: { ...vars, artifacts },
      state: { metal: { ...emptyHost(distributions.debian), "file:/etc/furrow-maintenance": { text } } },
      drivers: { http: () => ({ status: 200, headers: {}, body: "" }), rancher: () => ({ found: false }) },
      mode,
    });

  test.each(["check", "apply"] as const)(
    "does not leave the watchdog off after a shutdown, but says what ends the maintenance (%s)",
    async (mode) => {
      const run = await marked("the cluster is switched off\n", mode);
      expect(run.tasks).toHaveLength(1);
      const failure = run.tasks[0]?.error?.failure;
      expect(failure?.what).toBe("the cluster is under maintenance: the cluster is switched off");
      expect(failure?.hint).toContain("harvester-restart.ts");
    },
  );

  test("only reports a marker that a person set", async () => {
    const [first, second] = (await marked("")).tasks;
    expect(first).toMatchObject({ title: "no maintenance", outcome: "ok" });
    expect(first?.notes.join()).toContain("the watchdog does nothing until it is cleared: rm /etc/furrow-maintenance");
    expect(second).toBeDefined();
  });
});

test("nodes are added only to a cluster that answers", async () => {
  const run = await simulate(addNode, {
    hosts: ["metal"],
    vars,
    state: {
      metal: {
        ...emptyHost(distributions.debian),
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
  const { tasks } = await simulate(destroy, {
    hosts: ["metal"],
    vars,
    state: { metal: emptyHost(distributions.debian) },
  });
  expect(tasks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});
