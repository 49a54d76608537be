import { expect, test } from "vitest";
import { type Playbook, playbook } from "../../src/authoring.ts";
import type { LibvirtOverview } from "../../src/facts/catalogue.ts";
import { simulate, type SimulatedState, type Simulation } from "../../src/testing/index.ts";
import { domainWith } from "../../tasks/libvirt-domain/libvirt-domain.cases.ts";
import { nginxConf, nginxDropIn } from "../boot-server/templates.ts";
import { artifactNames, clusterSchema } from "../cluster/cluster.ts";
import { teardown } from "./role.ts";

const cluster = clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p" });
const book = playbook({
  name: "teardown alone",
  plays: [
    {
      hosts: "all",
      become: true,
      tasks: () => [teardown({ cluster, removeDisks: false, publicAddress: "203.0.113.10" })],
    },
  ],
});
const conf = "file:/etc/nginx/nginx.conf";
const dropIn = "file:/etc/systemd/system/nginx.service.d/furrow.conf";

test("leaves an nginx that can start: its configuration names no address of the removed network", async () => {
  const state: SimulatedState = {
    [conf]: { text: nginxConf(cluster, "www-data") },
    [dropIn]: { text: nginxDropIn("libvirtd") },
  };
  const first = await simulate(book, { hosts: ["metal"], state: { metal: state } });
  expect(first.result.errors).toEqual([]);
  const { text = "" } = (first.state["metal"]?.[conf] ?? {}) as { readonly text?: string };
  expect(text).toMatch(/^user www-data;$/m);
  expect(text).toContain("include /etc/nginx/sites-enabled/*;");
  expect(text).not.toContain(cluster.network.address);
  expect(text).not.toContain("/srv/www/harvester");
  expect(first.tasks.map(({ title }) => title)).toContain("file /etc/systemd/system/nginx.service.d/furrow.conf");
  const second = await simulate(book, { hosts: ["metal"], state: first.state });
  expect(second.tasks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("does not change an nginx configuration that furrow did not write", async () => {
  const own = "events {}\nhttp { server { listen 8080; root /srv/own; } }\n";
  const { state } = await simulate(book, { hosts: ["metal"], state: { metal: { [conf]: { text: own } } } });
  expect(state["metal"]?.[conf]).toMatchObject({ text: own });
});

/** A host with a running virtual machine that has the name of the node, and these disks. */
const hostWith = (...disks: string[]): SimulatedState => ({
  "libvirtDomain:harvester-1": domainWith({
    disks: { vda: { file: disks[0] ?? "" }, vdb: { file: disks[1] ?? "", format: "raw", bus: "virtio" } },
  }),
  "libvirt:system": {
    daemon: "up",
    problem: "",
    networks: {},
    domains: { "harvester-1": { active: true, disks, networks: [], bridges: [] } },
    links: {},
  },
  ...Object.fromEntries(
    disks.map((path) => [`diskImage:${path}`, { format: "qcow2", sizeBytes: 1, hasBacking: false }]),
  ),
});
const bookWith = (removeDisks: boolean): Playbook =>
  playbook({
    name: "teardown alone",
    plays: [{ hosts: "all", tasks: () => [teardown({ cluster, removeDisks, publicAddress: "203.0.113.10" })] }],
  });
const stepsOf = ({ tasks }: Simulation): string[] => tasks.flatMap(({ steps }) => steps);

test.each([
  ["check", true],
  ["apply", true],
  ["apply", false],
] as const)(
  "does not touch a virtual machine that has the name of a node but is not one (%s, removeDisks: %s)",
  async (mode, removeDisks) => {
    const metal = hostWith("/srv/own/windows.qcow2", "/home/me/link/data.img");
    const run = await simulate(bookWith(removeDisks), { hosts: ["metal"], state: { metal }, mode });
    expect(run.tasks.at(-1)?.error?.failure.details).toEqual(["refused: not-a-node"]);
    expect(stepsOf(run)).toEqual([]);
  },
);

test("deletes a node's image, but not a disk that a user has attached to it, and names that disk", async () => {
  const image = "/mnt/datadisk1/harvester-data.qcow2";
  const metal = hostWith(image, "/srv/own/data.img");
  const run = await simulate(bookWith(true), { hosts: ["metal"], state: { metal } });
  expect(run.result.errors).toEqual([]);
  expect(stepsOf(run)).toContain(`remove ${image}`);
  expect(stepsOf(run)).not.toContain("remove /srv/own/data.img");
  expect(run.tasks.find(({ title }) => title === "the disk images can be deleted")?.notes).toEqual([
    "not deleted with harvester-1: /srv/own/data.img; furrow did not make these disks",
  ]);
});

test("does not delete an image behind a symbolic link", async () => {
  const link = { "file:/mnt/datadisk1": { type: "link", target: "/home/me" } } as SimulatedState;
  const metal = { ...hostWith("/mnt/datadisk1/harvester-data.qcow2", "/srv/own/data.img"), ...link };
  const run = await simulate(bookWith(true), { hosts: ["metal"], state: { metal } });
  expect(run.tasks.at(-1)?.error?.failure.details).toEqual(["refused: image-behind-link"]);
  expect(stepsOf(run)).toEqual([]);
});

test.each(["check", "apply"] as const)(
  "deletes nothing if another virtual machine runs on an overlay of a node's image (%s)",
  async (mode) => {
    const image = "/mnt/datadisk1/harvester-data.qcow2";
    const own = hostWith(image, "/srv/own/data.img");
    const libvirt = own["libvirt:system"] as LibvirtOverview;
    const web = { active: true, disks: ["/srv/precious/clone.qcow2"], networks: [], bridges: [] };
    const metal = {
      ...own,
      "libvirt:system": { ...libvirt, domains: { ...libvirt.domains, web } },
      [`imageUses:${image}`]: { uses: [{ domain: "web", disk: "/srv/precious/clone.qcow2" }], lost: [] },
    } as unknown as SimulatedState;
    const run = await simulate(bookWith(true), { hosts: ["metal"], state: { metal }, mode });
    expect(run.tasks.at(-1)?.error?.failure.details).toEqual(["refused: image-has-overlay"]);
    expect(run.tasks.at(-1)?.error?.message).toContain("/srv/precious/clone.qcow2, a disk of the virtual machine web");
    expect(stepsOf(run)).toEqual([]);
    const kept = await simulate(bookWith(false), { hosts: ["metal"], state: { metal }, mode });
    expect(kept.result.errors).toEqual([]);
  },
);

/** A directory that was served to the nodes, with these entries. */
const served = (...files: string[]): SimulatedState => {
  const rights = { mode: "0644", owner: "root", group: "root" };
  const names = [".", "nodes", ...files].toSorted();
  const entries = Object.fromEntries(
    names.map((name) => [name, { ...rights, type: [".", "nodes"].includes(name) ? "directory" : "file" }]),
  );
  return {
    "file:/srv/www/harvester": { type: "directory" },
    "removal:/srv/www/harvester": { type: "directory", real: "/srv/www/harvester", uses: [], empty: false },
    "tree:/srv/www/harvester": { entries, names },
  };
};
const usual = [
  "boot.ipxe",
  "nodes/52-54-00-68-76-01.ipxe",
  "nodes/52-54-00-68-76-01.yaml",
  ...Object.values(artifactNames("v1.6.0-rc1")),
  `.${artifactNames("v1.8.1").iso}.part`,
  "create_cloud_config.yaml",
];

test.each(["check", "apply"] as const)(
  "does not remove a user's own notes among the served files, and names them (%s)",
  async (mode) => {
    const metal = served(...usual, "my-notes.txt", "nodes/tïdy\u001b.txt");
    const run = await simulate(bookWith(false), { hosts: ["metal"], state: { metal }, mode });
    expect(run.tasks.at(-1)?.error?.failure).toMatchObject({
      details: ["refused: foreign-files"],
      current: String.raw`my-notes.txt, "nodes/tïdy\u001b.txt"`,
    });
    expect(stepsOf(run)).toEqual([]);
  },
);

test("removes the served files, including those of other versions, of the original scripts and of an interrupted run", async () => {
  const run = await simulate(bookWith(false), { hosts: ["metal"], state: { metal: served(...usual) } });
  expect(run.result.errors).toEqual([]);
  expect(stepsOf(run)).toContain("remove /srv/www/harvester and its contents");
});

test.each([
  ["saved", { state: "shut off", saved: true }],
  ["paused", { state: "paused" }],
])("says what is lost with the memory of a node that is %s", async (state, flags) => {
  const image = "/mnt/datadisk1/harvester-data.qcow2";
  const domain = domainWith({ disks: { vda: { file: image } } }, flags);
  const metal = { ...hostWith(image), "libvirtDomain:harvester-1": domain } as SimulatedState;
  for (const mode of ["check", "apply"] as const) {
    const run = await simulate(bookWith(true), { hosts: ["metal"], state: { metal }, mode });
    expect(run.result.errors).toEqual([]);
    expect(run.tasks.find(({ title }) => title === "what the nodes have in memory")?.notes).toEqual([
      `harvester-1 is ${state}: everything in its memory is lost with it, and the cluster cannot say what was running there`,
    ]);
  }
});
