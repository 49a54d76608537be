import { expect, test } from "vitest";
import destroy from "../../playbooks/harvester-destroy.ts";
import removeNode from "../../playbooks/harvester-remove-node.ts";
import replaceNode from "../../playbooks/harvester-replace-node.ts";
import restart from "../../playbooks/harvester-restart.ts";
import shutdown from "../../playbooks/harvester-shutdown.ts";
import upgrade from "../../playbooks/harvester-upgrade.ts";
import { fingerprintPath } from "../../roles/cluster/places.ts";
import { absent, type Playbook } from "../../src/authoring.ts";
import { simulate, type SimulatedState, type Simulation } from "../../src/testing/index.ts";
import { host, upgradeArtifacts, vars } from "../guards/three-nodes.ts";
import { imageOf } from "./deployed-records.ts";

const overview = { problem: "", networks: {}, domains: {}, links: {} };
const bare: SimulatedState = {
  ...host,
  "libvirt:system": { daemon: "none", ...overview },
  "program:virsh": absent,
  "port:192.168.130.120 9345 virbr1": { open: false },
};

function run(book: Playbook, more: object, state: SimulatedState, mode: "apply" | "check"): Promise<Simulation> {
  return simulate(book, {
    hosts: ["metal"],
    vars: { ...vars, kubeconfig: { to: "/nonexistent/kubeconfig" }, ...more },
    state: { metal: state },
    drivers: { kubeconfig: () => absent, http: () => ({ status: 200, headers: {}, body: "pong" }) },
    mode,
  });
}

const books: [string, Playbook, object][] = [
  ["upgrade", upgrade, { version: "v1.8.3", artifacts: upgradeArtifacts }],
  ["remove-node", removeNode, { node: 3 }],
  ["replace-node", replaceNode, { node: 2 }],
  ["restart", restart, {}],
  ["shutdown", shutdown, {}],
  ["a forced shutdown", shutdown, { force: true }],
];

test.each(books)("%s on a host without a cluster says so, not that harvester-restart would help", async (...given) => {
  const [, book, more] = given;
  for (const mode of ["check", "apply"] as const) {
    for (const daemon of ["none", "up"]) {
      const state: SimulatedState = { ...bare, "libvirt:system": { daemon, ...overview } };
      const { tasks } = await run(book, more, state, mode);
      expect(tasks.filter(({ outcome }) => outcome === "changed")).toEqual([]);
      expect(tasks.at(-1)?.error?.failure).toMatchObject({
        what: expect.stringMatching(
          /^there is no Harvester cluster on this host: no harvester-1, harvester-2, harvester-3$/,
        ) as string,
        hint: expect.stringMatching(
          /^Check that the inventory .*deploy the cluster first with playbooks\/harvester\.ts/,
        ) as string,
        details: ["refused: no-cluster-here"],
      });
    }
  }
});

/** Each of these may be all that is left of a cluster. */
const traces: [string, SimulatedState][] = [
  ["a node", { "libvirtDomain:harvester-2": { state: "running" } }],
  ["a record", { [`file:${fingerprintPath("harvester-2")}`]: { type: "file", text: "{}" } }],
  ["a disk image", { [`diskImage:${imageOf("harvester-2")}`]: { format: "qcow2", sizeBytes: 1, hasBacking: false } }],
  ["an open port", { "port:192.168.130.120 9345 virbr1": { open: true } }],
  ["a daemon that lists nothing", { "libvirt:system": { daemon: "down", ...overview, problem: "refused" } }],
];

test.each(traces)("%s leaves doubt: no playbook says that there is no cluster", async (_name, more) => {
  for (const [, book, own] of books) {
    const { tasks } = await run(book, own, { ...bare, ...more }, "check");
    expect(tasks.map(({ error }) => error?.failure.details?.join()).join()).not.toContain("no-cluster-here");
  }
  const { tasks } = await run(destroy, {}, { ...bare, ...more }, "check");
  expect(tasks.flatMap(({ notes }) => notes).join()).not.toContain("no Harvester cluster to remove");
});

test("destroy on a host without a cluster is ok, and says that there is nothing to remove", async () => {
  for (const mode of ["check", "apply"] as const) {
    const { tasks, result } = await run(destroy, {}, bare, mode);
    expect(result.errors).toEqual([]);
    expect(tasks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    expect(tasks.flatMap(({ notes }) => notes)).toContainEqual(
      "there is no Harvester cluster to remove on this host: no harvester-1, harvester-2, harvester-3 (libvirt is not installed), and no disk image or record of a node; if you expected one, check the inventory",
    );
  }
});
