import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import addDisk from "../../playbooks/harvester-add-disk.ts";
import addNode from "../../playbooks/harvester-add-node.ts";
import destroy from "../../playbooks/harvester-destroy.ts";
import removeNode from "../../playbooks/harvester-remove-node.ts";
import replaceNode from "../../playbooks/harvester-replace-node.ts";
import restart from "../../playbooks/harvester-restart.ts";
import shutdown from "../../playbooks/harvester-shutdown.ts";
import status from "../../playbooks/harvester-status.ts";
import upgrade from "../../playbooks/harvester-upgrade.ts";
import { type Json, playbook } from "../../src/authoring.ts";
import type { Playbook } from "../../src/core/authoring/playbook.ts";
import { simulate, type SimulatedState, type SimulatedTask } from "../../src/testing/index.ts";
import { clusterLists, type ListName } from "../../roles/cluster-answers/answers.ts";
import { clusterSchema } from "../../roles/cluster/cluster.ts";
import { clusterNodes } from "../../roles/cluster/nodes.ts";
import { nodeDomain } from "../../roles/harvester-nodes/role.ts";
import { upgradeLists } from "../../roles/cluster-upgrade/obstacles.ts";
import { versionPath } from "../../roles/identity/answers.ts";
import { leaveLists } from "../../roles/node-removal/quorum.ts";
import { vmNetwork } from "../../roles/vm-network/role.ts";
import { covered } from "../covered.ts";
import { badLists, type BadAnswer, driverFor, failures } from "./bad-answers.ts";
import { type Objects, replicaOf, soundCluster, volumeOf } from "./examples.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { authorityShownIn } from "./registry.ts";
import { host, upgradeArtifacts, vars } from "./three-nodes.ts";

let cluster: FakeCluster;

const noCertificates = spawnSync("sh", ["-c", "command -v openssl"]).status !== 0;

beforeAll(async () => {
  cluster = await FakeCluster.up(soundCluster);
  const wanted = clusterSchema.parse(vars);
  const made = await simulate(
    playbook({
      name: "three nodes",
      plays: [
        {
          hosts: "all",
          tasks: ({ facts }) => [
            vmNetwork({ cluster: wanted, facts }),
            clusterNodes(wanted).map((node) => nodeDomain(wanted, node)),
          ],
        },
      ],
    }),
    { hosts: ["metal"], state: { metal: host } },
  );
  if (made.result.errors.length > 0) throw made.result.errors[0] as Error;
  state = made.state["metal"] ?? {};
});

afterAll(() => cluster.down());

const never = new AbortController().signal;

/** A host with three running nodes. */
let state: SimulatedState;

/** Checks a playbook on a host with three running nodes. Queries to the cluster go through the real driver. */
async function check(
  book: Playbook,
  more: object,
  kubeconfig = cluster.kubeconfig(),
  endsBy?: BadAnswer["endsBy"],
): Promise<SimulatedTask[]> {
  const { tasks } = await simulate(book, {
    hosts: ["metal"],
    vars: { ...vars, kubeconfig: { to: kubeconfig }, ...more },
    state: { metal: { ...state, ...authorityShownIn(cluster.authority) } },
    drivers: {
      kubernetes: (request: Json) => driverFor(endsBy).read(request, never),
      http: () => ({ status: 200, headers: {}, body: "pong" }),
    },
    mode: "check",
  });
  return [...tasks];
}

/** The requests that compare the cluster with the one that was first deployed. */
const compared = [`GET ${clusterLists.nodes.path}`, `GET ${versionPath}`];

const changed = (tasks: readonly SimulatedTask[]): string[] =>
  tasks.filter(({ outcome }) => outcome === "changed").map(({ title }) => title);

/**
 * The playbooks with a guard: for each, a task that its run would perform, and the lists that its guard queries first.
 */
const guarded: readonly { name: string; book: Playbook; vars: object; performs: string; lists: readonly ListName[] }[] =
  [
    {
      name: "shutdown",
      book: shutdown,
      vars: {},
      performs: "node 1 in shutdown order is off",
      lists: ["instances", "volumes", "upgrades", "nodes"],
    },
    {
      name: "remove-node",
      book: removeNode,
      vars: { node: 3 },
      performs: "libvirtDomain harvester-3",
      lists: leaveLists,
    },
    {
      name: "replace-node",
      book: replaceNode,
      vars: { node: 2 },
      performs: "libvirtDomain harvester-2",
      lists: leaveLists,
    },
    {
      name: "upgrade",
      book: upgrade,
      vars: { version: "v1.8.3", artifacts: upgradeArtifacts },
      performs: "Harvester knows v1.8.3",
      lists: upgradeLists,
    },
  ];

describe.skipIf(noCertificates)("a playbook that can destroy something", () => {
  test.each(guarded)(
    "$name continues if the cluster's answers are complete",
    async ({ book, vars, performs, lists }) => {
      cluster.asked.length = 0;
      cluster.instead = () => false;
      expect(changed(await check(book, vars))).toContain(performs);
      const paths = lists.map((list) => `GET ${clusterLists[list].path}`);
      expect(cluster.asked).toEqual(expect.arrayContaining(paths));
    },
  );

  // The guards' own table covers all bad answers; here, one bad answer of each sort proves that the playbook has the
  // guard.
  const sorts =
    /^(no kubeconfig|401|403|404 from a server in between|503|no answer|an answer that ends early|half a list.*|a list of another kind)$/;
  const some = [...failures, ...badLists].filter(({ name }) => sorts.test(name));
  const cells = guarded.flatMap(({ lists, ...rest }) =>
    lists.flatMap((list) => some.map((bad) => ({ ...rest, list, bad }))),
  );

  test.each(guarded)("$name changes nothing without complete answers", { timeout: 600_000 }, async ({ name }) => {
    const own = cells.filter((cell) => cell.name === name);
    cluster.instead = (asked) => {
      const cell = own[Number(asked.prefix.slice(1))];
      return cell !== undefined && asked.path === clusterLists[cell.list].path && (cell.bad.instead?.(asked) ?? false);
    };
    const next = own.entries();
    const wrong: string[] = [];
    const work = async (): Promise<void> => {
      for (const [number, { book, vars, list, bad }] of next) {
        const kubeconfig = bad.kubeconfig?.(cluster, `/${number}`) ?? cluster.kubeconfig(`/${number}`);
        const tasks = await check(book, vars, kubeconfig, bad.endsBy);
        const last = tasks.at(-1);
        if (changed(tasks).length > 0 || last?.outcome !== "failed" || last.error === undefined)
          wrong.push(`${list}, ${bad.name}: ${changed(tasks).join()}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(wrong).toEqual([]);
    covered(`${own.length} checks of ${name} against a cluster that answers badly`);
  });
});

const byName = (name: string): BadAnswer => failures.find((one) => one.name === name) as BadAnswer;
const single = (volume: object, currentState = "running"): Partial<Objects> => ({
  volumes: [volume],
  replicas: [replicaOf("pvc-1", "harvester-2", { currentState })],
});

describe.skipIf(noCertificates)(
  "cases that were once wrongly allowed, according to independent tests, are now refused",
  () => {
    test.each(["no kubeconfig", "401", "403", "404 for a kind that is not installed", "503"])(
      "shutdown with %s",
      async (name) => {
        const bad = byName(name);
        cluster.instead = (asked) => bad.instead?.(asked) ?? false;
        const tasks = await check(shutdown, {}, bad.kubeconfig?.(cluster, ""), bad.endsBy);
        expect(changed(tasks)).toEqual([]);
        expect(tasks.at(-1)?.error?.failure.what).toMatch(/^cannot tell whether anything runs on the cluster: /);
        expect(tasks.at(-1)?.error?.failure.what).toContain(bad.cause);
      },
    );

    test.each<[string, Partial<Objects>, string]>([
      [
        "a healthy volume with a single replica",
        single(volumeOf("pvc-1")),
        "without harvester-2 these would be lost: 1 volume: pvc-1 ",
      ],
      [
        "a detached volume",
        single(volumeOf("pvc-1", "detached"), "stopped"),
        "without harvester-2 these would be lost: 1 volume: pvc-1 ",
      ],
      [
        "a faulted volume",
        single(volumeOf("pvc-1", "detached", "faulted"), "stopped"),
        "without harvester-2 these would be lost: 1 volume: pvc-1 ",
      ],
      ["a volume that is not listed", { volumes: [] }, "without harvester-2 these would be lost: 1 volume: pvc-1 "],
    ])("replacing the only node that has %s", async (_name, objects, says) => {
      cluster.instead = () => false;
      cluster.objects = { ...soundCluster, ...objects };
      for (const book of [replaceNode, removeNode]) {
        const tasks = await check(book, { node: 2 });
        expect(changed(tasks)).toEqual([]);
        expect(tasks.at(-1)?.error?.failure.what).toContain(says);
        const accepted = await check(book, { node: 2, acceptLoss: ["pvc-1"] });
        expect(changed(accepted)).toContain("libvirtDomain harvester-2");
        const misspelt = await check(book, { node: 2, acceptLoss: ["pvc-1", "pcv-1"] });
        expect(changed(misspelt)).toEqual([]);
      }
      cluster.objects = soundCluster;
    });

    test("replacing a node whose virtual machines cannot be listed", async () => {
      const bad = byName("403");
      cluster.instead = (asked) => asked.path === clusterLists.instances.path && (bad.instead?.(asked) ?? false);
      const tasks = await check(replaceNode, { node: 2 });
      expect(changed(tasks)).toEqual([]);
      expect(tasks.at(-1)?.error?.failure.what).toContain("the running virtual machines cannot be read (HTTP 403");
    });
  },
);

describe.skipIf(noCertificates)("a forced shutdown", () => {
  test("asks the cluster only for its identity, and says so", async () => {
    cluster.asked.length = 0;
    const tasks = await check(shutdown, { force: true });
    expect(new Set(cluster.asked)).toEqual(new Set(compared));
    expect(tasks.find(({ title }) => title === "nothing is checked, because of force")).toMatchObject({
      notes: [expect.stringMatching(/^force is set, so the cluster was not asked/)],
    });
  });
});

test.skipIf(noCertificates).each<[string, Playbook, readonly string[]]>([
  ["status", status, ["nodes", "instances", "volumes"]],
  ["restart", restart, ["nodes", "instances", "volumes"]],
  // Apart from the comparison, these playbooks query only the host: whether the virtual address answers, and which
  // disks exist.
  ["add-node", addNode, []],
  ["add-disk", addDisk, []],
])("%s asks the cluster only for its identity, and for what is reported", async (_name, book, lists) => {
  cluster.asked.length = 0;
  cluster.instead = () => false;
  await check(book, {});
  const paths = lists.map((list) => `GET ${clusterLists[list as ListName].path}`);
  expect(new Set(cluster.asked)).toEqual(new Set([...compared, ...paths]));
});

test.skipIf(noCertificates)("destroy does not query the cluster", async () => {
  cluster.asked.length = 0;
  await check(destroy, {});
  expect(cluster.asked).toEqual([]);
});
