import { describe, expect, test } from "vitest";
import addNode from "../../playbooks/parvester-add-node.ts";
import destroy from "../../playbooks/parvester-destroy.ts";
import deploy from "../../playbooks/parvester.ts";
import upgrade from "../../playbooks/parvester-upgrade.ts";
import { absent, certificateDigest, type PlayContext } from "../../src/authoring.ts";
import type { Playbook } from "../../src/core/authoring/playbook.ts";
import { simulate, type SimulatedState, type SimulatedTask } from "../../src/testing/index.ts";
import { answerFor, type Objects, soundCluster } from "../../test/guards/examples.ts";
import { exampleVars } from "./parvester.fixture.ts";

const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const file = { type: "file", mode: "0600", owner: "root", group: "root" };
const folder = { ...file, type: "directory", mode: "0700" };
const data = "/var/lib/rancher/rke2";
const program = "/opt/rke2/bin/rke2-uninstall.sh";
const volumes = "/opt/local-path-provisioner";
const downloads = "/var/lib/furrow-rke2";
const leaving = `${downloads}/leaving`;

/** The files on the disk of a node. */
const node: SimulatedState = {
  [`file:${data}`]: folder,
  [`file:${data}/agent/server-ca.crt`]: { ...file, text: pem },
  [`file:${program}`]: file,
  [`file:${volumes}`]: folder,
  [`file:${downloads}`]: folder,
};
const server: SimulatedState = {
  ...node,
  [`file:${data}/server/db`]: folder,
  [`file:${data}/server/tls/server-ca.crt`]: { ...file, text: pem },
};

const kubeconfig = { server: "https://node-1:6443", ca: certificateDigest(pem) ?? "" };
const names = ["node-1", "node-2", "node-3", "node-4"];
const groupsOf = (name: string): string[] => (name === "node-4" ? ["agents"] : []);
const all = names.map((name, index) => ({ name, address: name, groups: groupsOf(name), index }));

interface Scene {
  /** The hosts that --limit leaves in the run. */
  readonly limit?: readonly string[];
  readonly vars?: object;
  readonly state?: Readonly<Record<string, SimulatedState>>;
  /** The objects in the cluster; if undefined, its API does not answer. */
  readonly cluster?: Partial<Objects>;
  readonly copy?: typeof kubeconfig | typeof absent;
  readonly mode?: "check" | "apply";
}

/** Simulates a playbook for the hosts that --limit leaves in an inventory of three servers and an agent. */
async function simulated(book: Playbook, scene: Scene) {
  const { limit = names, vars = {}, state = {}, cluster, copy = kubeconfig, mode = "check" } = scene;
  const plays = book.plays.map((play) => ({
    ...play,
    tasks: (context: PlayContext<never>) => play.tasks({ ...context, allHosts: all }),
  }));
  return simulate(
    { ...book, plays },
    {
      hosts: Object.fromEntries(limit.map((name) => [name, { groups: groupsOf(name) }])),
      vars: { ...exampleVars, ...vars },
      state: { "node-1": server, "node-2": server, "node-3": server, "node-4": node, ...state },
      drivers: {
        kubernetes: (request) =>
          cluster === undefined
            ? { error: { code: "ECONNREFUSED", message: "connect ECONNREFUSED" } }
            : answerFor(cluster, request as { readonly path: string }),
        kubeconfig: (request) => ("hostKeys" in (request as object) ? absent : copy),
        file: () => absent,
      },
      mode,
    },
  );
}

const refusals = (tasks: readonly SimulatedTask[]): string[] =>
  tasks.flatMap(({ host, title, outcome }) => (outcome === "failed" ? [`${host}: ${title}`] : []));
const changed = (tasks: readonly SimulatedTask[]): string[] =>
  tasks.flatMap(({ host, title, outcome }) => (outcome === "changed" ? [`${host}: ${title}`] : []));

const nodesReady = names.map((name) => ({
  ...(soundCluster.nodes[0] as { metadata: object }),
  metadata: { ...(soundCluster.nodes[0] as { metadata: object }).metadata, name },
}));
const outdated = "no outdated record of an earlier destruction";
const guard = "no machine is lost by mistake";

describe("destroy", () => {
  const removal = { vars: { removeVolumes: true } };

  test("--limit to an agent deletes no volumes of machines that run there", async () => {
    const { tasks } = await simulated(destroy, { ...removal, limit: ["node-4"], cluster: soundCluster, mode: "apply" });
    expect(refusals(tasks)).toEqual([`node-4: ${guard}`]);
    expect(changed(tasks)).toEqual([]);
  });

  test("a server whose disk was lost proves nothing about an agent that still has volumes", async () => {
    const { tasks } = await simulated(destroy, { ...removal, state: { "node-1": {}, "node-2": {}, "node-3": {} } });
    expect(refusals(tasks)).toEqual([`node-4: ${guard}`]);
    expect(changed(tasks)).toEqual([]);
  });

  test("volumes on a host that is no longer a node are not deleted while the cluster cannot be queried", async () => {
    const left = { "node-1": {}, "node-2": {}, "node-3": {}, "node-4": { [`file:${volumes}`]: folder } };
    const { tasks } = await simulated(destroy, { ...removal, state: left });
    expect(refusals(tasks)).toEqual([`node-4: ${guard}`]);
    // Without removeVolumes, the volumes stay, so a second run does not need the cluster.
    const { tasks: second } = await simulated(destroy, { state: left, copy: absent });
    expect([refusals(second), changed(second)]).toEqual([[], []]);
  });

  test("after a kill that left only one of three servers, a rerun continues without the API", async () => {
    const [first] = await stopped(["node-2", "node-3", "node-4"]);
    const { tasks, state } = await simulated(destroy, { ...removal, state: first, mode: "apply" });
    expect(refusals(tasks)).toEqual([]);
    expect(changed(tasks)).toContain(`node-1: RKE2's own uninstall script`);
    expect(state["node-1"]?.[`file:${leaving}`] ?? absent).toBe(absent);
  });

  test("a rerun refuses machines that were created after the run that was killed", async () => {
    const [first] = await stopped(["node-4"]);
    const { tasks } = await simulated(destroy, { ...removal, state: first, cluster: soundCluster });
    expect(refusals(tasks)).toContain(`node-1: ${guard}`);
    expect(changed(tasks)).toEqual(["node-1", "node-2", "node-3"].map((name) => `${name}: ${outdated}`));
  });

  test("a record that is older than the cluster's machines is removed, so a later run cannot rely on it when the cluster does not answer", async () => {
    const [first] = await stopped(["node-4"]);
    const { state } = await simulated(destroy, { ...removal, state: first, cluster: soundCluster, mode: "apply" });
    const { tasks } = await simulated(destroy, { ...removal, state });
    expect(refusals(tasks)).toContain(`node-1: ${guard}`);
    expect(changed(tasks)).toEqual([]);
  });

  test("the marker of a destruction is written after the guard has passed, and only then", async () => {
    const passed = await simulated(destroy, { cluster: { ...soundCluster, machines: [], instances: [] } });
    expect(changed(passed.tasks).slice(0, 4)).toEqual(names.map((name) => `${name}: the destruction is recorded`));
    // With removeMachines, every run accepts this loss, so the next one needs no marker.
    const accepted = await simulated(destroy, { vars: { removeMachines: true } });
    expect(changed(accepted.tasks).join()).not.toContain("the destruction is recorded");
  });

  test("a complete destruction leaves nothing, and a second run changes nothing", async () => {
    const { tasks, state } = await simulated(destroy, {
      ...removal,
      cluster: { ...soundCluster, machines: [], instances: [] },
      mode: "apply",
    });
    expect(refusals(tasks)).toEqual([]);
    for (const name of names)
      for (const path of [downloads, leaving, volumes])
        expect([name, path, state[name]?.[`file:${path}`] ?? absent]).toEqual([name, path, absent]);
  });
});

test.each([
  ["parvester", deploy, {}],
  ["parvester-add-node", addNode, { node: "node-4" }],
  ["parvester-upgrade", upgrade, {}],
])(
  "%s removes the note of an interrupted destruction from every host before it touches a node",
  async (_name, book, vars) => {
    const [state] = await stopped([]);
    const cluster = { ...soundCluster, nodes: nodesReady };
    const { tasks } = await simulated(book, { vars, state, cluster });
    const cleared = tasks.filter(({ title }) => title === "no destruction is recorded");
    expect(cleared.map(({ host, outcome }) => [host, outcome])).toEqual(names.map((name) => [name, "changed"]));
  },
);

/** The state after a destruction that was killed once it had removed these nodes. */
async function stopped(gone: readonly string[]): Promise<[Record<string, SimulatedState>]> {
  const { state } = await simulated(
    { ...destroy, plays: destroy.plays.slice(0, destroy.plays.findIndex(({ name }) => name === "Note") + 1) },
    { vars: { removeVolumes: true }, cluster: { ...soundCluster, machines: [], instances: [] }, mode: "apply" },
  );
  return [{ ...state, ...Object.fromEntries(gone.map((name) => [name, {}])) }];
}

describe("upgrade", () => {
  test("--limit to one server is refused: the snapshot is taken on the first one", async () => {
    const { tasks } = await simulated(upgrade, { limit: ["node-2"], cluster: { ...soundCluster, nodes: nodesReady } });
    expect(refusals(tasks)).toEqual(["node-2: the first server is in the run"]);
  });

  test("the check that the cluster is complete and healthy runs for every server", async () => {
    const nodes = nodesReady.slice(0, 3);
    const { tasks } = await simulated(upgrade, { limit: ["node-1", "node-2"], cluster: { ...soundCluster, nodes } });
    expect(refusals(tasks)).toContain("node-2: the cluster is complete and healthy");
  });
});

test("add-node with --limit to the new host checks whether the cluster is complete and healthy", async () => {
  const cluster = { ...soundCluster, nodes: nodesReady.slice(0, 2) };
  const { tasks } = await simulated(addNode, {
    limit: ["node-4"],
    vars: { node: "node-4" },
    state: { "node-4": {} },
    cluster,
  });
  expect(refusals(tasks)).toEqual(["node-4: the cluster is complete and healthy"]);
});

describe("a first server that lost its disk, without a kubeconfig on the controller,", () => {
  test("does not begin a second cluster while the others run the first one", async () => {
    const { tasks } = await simulated(deploy, { state: { "node-1": {} }, copy: absent });
    expect(refusals(tasks)).toContain("node-2: node-2 can be a server of this cluster");
    expect(changed(tasks)).toEqual([]);
  });

  test("does not begin a cluster under --limit, which hides the other servers", async () => {
    const { tasks } = await simulated(deploy, { limit: ["node-1"], state: { "node-1": {} }, copy: absent });
    expect(refusals(tasks)).toContain("node-1: node-1 can be a server of this cluster");
  });
});

test("a cluster whose kubeconfig is lost is deployed again, and empty hosts become a cluster", async () => {
  const lost = await simulated(deploy, { copy: absent });
  expect(refusals(lost.tasks).filter((one) => one.includes("of this cluster"))).toEqual([]);
  const empty = { "node-1": {}, "node-2": {}, "node-3": {}, "node-4": {} };
  const fresh = await simulated(deploy, { state: empty, copy: absent });
  expect(refusals(fresh.tasks).filter((one) => one.includes("of this cluster"))).toEqual([]);
});

test("a deployment with --limit to another server does not wait for the first one", async () => {
  const { tasks } = await simulated(deploy, { limit: ["node-2"], state: { "node-2": {} } });
  expect(tasks.map(({ host, title, outcome }) => [host, title, outcome])).toContainEqual([
    "node-2",
    "node-2 can be a server of this cluster",
    "ok",
  ]);
});
