import { expect, test } from "vitest";
import { absent, type Json, type Playbook, playbook } from "../../src/authoring.ts";
import { simulate, type SimulatedState, type Simulation } from "../../src/testing/index.ts";
import { domainWith } from "../../tasks/libvirt-domain/libvirt-domain.cases.ts";
import { answerFor, soundCluster, threeNodes } from "../../test/guards/examples.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { nodeRemoval } from "./role.ts";

const cluster = clusterSchema.parse({ disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p", nodes: 3 });
const kubeconfig = { path: "k", authority: "a" };
const bookOf = (by: "harvester-remove-node" | "harvester-replace-node"): Playbook =>
  playbook({
    name: "node removal alone",
    plays: [
      {
        hosts: "all",
        become: true,
        tasks: () => [nodeRemoval({ cluster, kubeconfig, node: "harvester-2", by, acceptLoss: [] })],
      },
    ],
  });
const book = bookOf("harvester-remove-node");
const drivers = {
  kubernetes: (request: Json) => answerFor(soundCluster, request as { readonly path: string }),
};

test("switches a node off before the cluster forgets it, so that it does not come back, and then records its removal", async () => {
  const { tasks } = await simulate(book, { hosts: ["metal"], drivers });
  expect(tasks.map(({ title, steps }) => [title, steps])).toEqual([
    ["whether harvester-2 has already been removed", []],
    ["the cluster answers", []],
    ["the disk images can be deleted", []],
    ["no saved memory of harvester-2", []],
    ["harvester-2 may leave", []],
    ["file /etc/furrow-harvester", ["make directory /etc/furrow-harvester"]],
    ["maintenance: harvester-2 is being removed", ["write /etc/furrow-maintenance"]],
    ["libvirtDomain harvester-2", []],
    ["file /mnt/datadisk2/harvester-data.qcow2", []],
    ["harvester-2 is out of the cluster", ["cordon harvester-2", "delete node harvester-2"]],
    ["the host key of the old harvester-2 is removed", []],
    ["file /etc/furrow-harvester/harvester-2.removed", ["write /etc/furrow-harvester/harvester-2.removed"]],
  ]);
});

test.each(["harvester-1", "harvester-3"])(
  "forgets the host key of %s, because a new node at its address has a different key",
  async (node) => {
    const removal = playbook({
      name: "removal of a node",
      plays: [
        {
          hosts: "all",
          tasks: () => [nodeRemoval({ cluster, kubeconfig, node, by: "harvester-replace-node", acceptLoss: [] })],
        },
      ],
    });
    const kept = { ...drivers, kubeconfig: () => ({ kept: true }) };
    const { tasks } = await simulate(removal, { hosts: ["metal"], drivers: kept });
    const forgets = tasks.find(({ title }) => title === `the host key of the old ${node} is removed`);
    expect(forgets?.steps).toEqual([expect.stringMatching(/^remove .*\.known_hosts$/)]);
  },
);

test("a rerun of an interrupted removal waits until another node has taken over the virtual address", async () => {
  const reason = { by: "harvester-remove-node", node: "harvester-2", who: "me@laptop", since: "", why: "it leaves" };
  const begun = { metal: { "file:/etc/furrow-maintenance": { text: `${JSON.stringify(reason)}\n` } } };
  const kubernetes = (): Json => ({ error: { code: "ECONNREFUSED", message: "connection refused" } });
  // A simulation does not wait: it reports that the wait is not over.
  const waiting = await simulate(book, { hosts: ["metal"], drivers: { kubernetes }, state: begun });
  expect(waiting.tasks.at(-1)).toMatchObject({ title: "the cluster answers", error: { code: "E_WAIT" } });
  const run = await simulate(book, { hosts: ["metal"], drivers, state: begun });
  expect(run.tasks.flatMap(({ steps }) => steps)).toContain("delete node harvester-2");
});

const state = { metal: { "file:/etc/furrow-harvester/harvester-2.removed": { text: "" } } };
const left = ({ tasks }: Simulation): (string | undefined)[] =>
  tasks.filter(({ outcome }) => outcome !== "skipped").map(({ title }) => title);

test("does not replace a node a second time: the node in the cluster is already the new one, which has the same name", async () => {
  const run = await simulate(bookOf("harvester-replace-node"), { hosts: ["metal"], drivers, state });
  expect(left(run)).toEqual([
    "whether harvester-2 has already been removed",
    "file /etc/furrow-harvester",
    "file /etc/furrow-harvester/harvester-2.removed",
  ]);
});

test.each(["", "harvester-replace-node\n"])("trusts the marker %j of a replacement", async (text) => {
  const marked = { metal: { "file:/etc/furrow-harvester/harvester-2.removed": { text } } };
  const run = await simulate(bookOf("harvester-replace-node"), { hosts: ["metal"], drivers, state: marked });
  expect(left(run)).not.toContain("harvester-2 may leave");
});

const replaced = { metal: { "file:/etc/furrow-harvester/harvester-2.removed": { text: "harvester-replace-node\n" } } };

test.each(["check", "apply"] as const)(
  "says that it does not reinstall a node that an earlier replacement has already reinstalled (%s)",
  async (mode) => {
    const notesWith = async (nodes: object[]): Promise<readonly string[] | undefined> => {
      const kubernetes = (request: Json): unknown =>
        answerFor({ ...soundCluster, nodes }, request as { readonly path: string });
      const run = await simulate(bookOf("harvester-replace-node"), {
        hosts: ["metal"],
        drivers: { kubernetes },
        state: replaced,
        mode,
      });
      expect(left(run)).not.toContain("harvester-2 may leave");
      return run.tasks[0]?.notes;
    };
    expect(await notesWith(threeNodes())).toEqual([
      "the node harvester-2 is already the new one of an earlier replacement, and is ready: this run only finishes that replacement, and does not reinstall the node; to replace it again, run the playbook once more",
    ]);
    expect(await notesWith(threeNodes(2))).toEqual([]);
    expect(await notesWith(threeNodes().toSpliced(1, 1))).toEqual([]);
  },
);

test("does not continue a replacement while the cluster does not say whether the new node has joined", async () => {
  const kubernetes = (): Json => ({ error: { code: "unreachable", message: "connection refused" } });
  const run = await simulate(bookOf("harvester-replace-node"), {
    hosts: ["metal"],
    drivers: { kubernetes },
    state: replaced,
  });
  expect(run.tasks.at(-1)?.error?.message).toContain("cannot tell whether harvester-2 is in the cluster");
});

test("replaces a node of the cluster although an interrupted removal left its marker behind", async () => {
  const marked = { metal: { "file:/etc/furrow-harvester/harvester-2.removed": { text: "harvester-remove-node\n" } } };
  const run = await simulate(bookOf("harvester-replace-node"), { hosts: ["metal"], drivers, state: marked });
  expect(run.tasks.flatMap(({ steps }) => steps)).toContain("delete node harvester-2");
  const after = run.state["metal"]?.["file:/etc/furrow-harvester/harvester-2.removed"];
  expect(after).toMatchObject({ text: "harvester-replace-node\n" });
  const again = await simulate(bookOf("harvester-replace-node"), { hosts: ["metal"], drivers, state: run.state });
  expect(left(again)).not.toContain("harvester-2 may leave");
});

test("refuses to remove a node whose replacement was interrupted, because its new machine has not joined yet", async () => {
  const kubernetes = (request: Json): unknown =>
    (request as { readonly path: string }).path.endsWith("/nodes/harvester-2")
      ? { found: false }
      : answerFor(soundCluster, request as { readonly path: string });
  const marked = { metal: { "file:/etc/furrow-harvester/harvester-2.removed": { text: "harvester-replace-node\n" } } };
  for (const mode of ["check", "apply"] as const) {
    const run = await simulate(book, { hosts: ["metal"], drivers: { kubernetes }, state: marked, mode });
    expect(run.tasks.at(-1)?.error?.failure.details).toEqual(["refused: replacement-unfinished"]);
  }
});

test("removes a node of the cluster even if an earlier removal left its marker behind", async () => {
  const run = await simulate(book, { hosts: ["metal"], drivers, state });
  expect(left(run)).toEqual([
    "whether harvester-2 has already been removed",
    "the disk images can be deleted",
    "no saved memory of harvester-2",
    "harvester-2 may leave",
    "file /etc/furrow-harvester",
    "maintenance: harvester-2 is being removed",
    "libvirtDomain harvester-2",
    "file /mnt/datadisk2/harvester-data.qcow2",
    "harvester-2 is out of the cluster",
    "the host key of the old harvester-2 is removed",
    "file /etc/furrow-harvester/harvester-2.removed",
  ]);
  expect(run.tasks.flatMap(({ steps }) => steps)).toContain("delete node harvester-2");
});

test("runs the guard again if a marker was left behind: the cluster may no longer be able to do without the node", async () => {
  const weak = { ...soundCluster, nodes: threeNodes(3) };
  const kubernetes = (request: Json): unknown => answerFor(weak, request as { readonly path: string });
  const run = await simulate(book, { hosts: ["metal"], drivers: { kubernetes }, state });
  expect(run.tasks.at(-1)).toMatchObject({ title: "harvester-2 may leave", outcome: "failed" });
});

test("does not repeat the removal of a node that the cluster no longer has", async () => {
  const kubernetes = (request: Json): unknown =>
    (request as { readonly path: string }).path.endsWith("/nodes/harvester-2")
      ? { found: false }
      : answerFor(soundCluster, request as { readonly path: string });
  const run = await simulate(book, { hosts: ["metal"], drivers: { kubernetes }, state });
  expect(left(run)).toEqual([
    "whether harvester-2 has already been removed",
    "file /etc/furrow-harvester",
    "file /etc/furrow-harvester/harvester-2.removed",
  ]);
});

test("does not trust a marker while the cluster does not answer", async () => {
  const kubernetes = (): Json => ({ error: { code: "unreachable", message: "connection refused" } });
  const run = await simulate(book, { hosts: ["metal"], drivers: { kubernetes }, state });
  expect(run.tasks.at(-1)).toMatchObject({ title: "whether harvester-2 has already been removed", outcome: "failed" });
  expect(run.tasks.at(-1)?.error?.message).toContain("cannot tell whether harvester-2 is in the cluster");
});

const own = { file: "/mnt/datadisk2/harvester-data.qcow2" };
const attached = { file: "/srv/own/windows.qcow2", format: "qcow2", bus: "scsi" };
/** A host on which the node to remove has a disk that a user has attached. */
const withDisk = {
  "libvirtDomain:harvester-2": domainWith({ disks: { vda: own, sdb: attached } }),
  "libvirt:system": {
    daemon: "up",
    problem: "",
    networks: {},
    domains: {
      "harvester-2": { active: true, disks: [own.file, attached.file], networks: ["vlan1"], bridges: [] },
    },
    links: {},
  },
  [`diskImage:${own.file}`]: { format: "qcow2", sizeBytes: 1, hasBacking: false },
  [`diskImage:${attached.file}`]: { format: "qcow2", sizeBytes: 1, hasBacking: false },
} as unknown as SimulatedState;

test("deletes the node's own disk image, and names the disk that a user has attached", async () => {
  const run = await simulate(book, { hosts: ["metal"], drivers, state: { metal: withDisk } });
  expect(run.result.errors).toEqual([]);
  expect(run.tasks.flatMap(({ steps }) => steps)).toContain(`remove ${own.file}`);
  expect(run.tasks.flatMap(({ steps }) => steps)).not.toContain(`remove ${attached.file}`);
  expect(run.tasks.find(({ title }) => title === "the disk images can be deleted")?.notes).toEqual([
    `not deleted with harvester-2: ${attached.file}; furrow did not make these disks`,
  ]);
});

/** A host on which libvirt no longer has the node, although the node's image is still there. */
const undefinedNode = {
  "libvirt:system": { daemon: "up", problem: "", networks: {}, domains: {}, links: {} },
  [`file:${own.file}`]: { text: "the old installation" },
} as unknown as SimulatedState;

test.each(["harvester-replace-node", "harvester-remove-node"] as const)(
  "deletes the old image of a node that is no longer defined in libvirt: a new node would boot the old installation (%s)",
  async (by) => {
    const run = await simulate(bookOf(by), { hosts: ["metal"], drivers, state: { metal: undefinedNode } });
    expect(run.result.errors).toEqual([]);
    expect(run.tasks.flatMap(({ steps }) => steps)).toContain(`remove ${own.file}`);
    expect(run.state["metal"]?.[`file:${own.file}`]).toBe(absent);
  },
);

test.each(["check", "apply"] as const)(
  "does not delete the image of a node that is no longer defined if another virtual machine uses it (%s)",
  async (mode) => {
    const renamed = { active: false, disks: [own.file], networks: ["vlan1"], bridges: [] };
    const libvirt = { daemon: "up", problem: "", networks: {}, domains: { renamed }, links: {} };
    const uses = { uses: [{ domain: "renamed", disk: own.file }], lost: [] };
    const used = { ...undefinedNode, "libvirt:system": libvirt, [`imageUses:${own.file}`]: uses };
    const state = { metal: used as unknown as SimulatedState };
    const run = await simulate(bookOf("harvester-replace-node"), { hosts: ["metal"], drivers, state, mode });
    expect(run.tasks.at(-1)?.error?.failure.details).toEqual(["refused: disk-in-use"]);
    expect(run.tasks.flatMap(({ steps }) => steps)).toEqual([]);
  },
);

test.each(["check", "apply"] as const)("does not remove a node whose image is behind a link (%s)", async (mode) => {
  const linked = { ...withDisk, "file:/mnt/datadisk2": { type: "link", target: "/home/me" } } as SimulatedState;
  const run = await simulate(book, { hosts: ["metal"], drivers, state: { metal: linked }, mode });
  expect(run.tasks.at(-1)?.error?.failure.details).toEqual(["refused: image-behind-link"]);
  expect(run.tasks.flatMap(({ steps }) => steps)).toEqual([]);
});

test.each(["check", "apply"] as const)(
  "does not remove a node that libvirt has saved: its virtual machines are frozen in its memory (%s)",
  async (mode) => {
    const domain = domainWith({ disks: { vda: own } }, { state: "shut off", saved: true });
    const saved = { ...withDisk, "libvirtDomain:harvester-2": domain } as SimulatedState;
    const run = await simulate(book, { hosts: ["metal"], drivers, state: { metal: saved }, mode });
    expect(run.tasks.at(-1)?.error?.failure).toMatchObject({
      details: ["refused: domain-saved"],
      hint: expect.stringMatching(/virsh start harvester-2.*virsh managedsave-remove harvester-2/) as string,
    });
    expect(run.tasks.flatMap(({ steps }) => steps)).toEqual([]);
  },
);
