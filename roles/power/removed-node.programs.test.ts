import { describe, expect, test } from "vitest";
import destroy from "../../playbooks/harvester-destroy.ts";
import restart from "../../playbooks/harvester-restart.ts";
import shutdown from "../../playbooks/harvester-shutdown.ts";
import type { Json, Playbook } from "../../src/authoring.ts";
import { simulate, type SimulatedState, type Simulation } from "../../src/testing/index.ts";
import { domainWith } from "../../tasks/libvirt-domain/libvirt-domain.cases.ts";
import { answerFor, soundCluster, threeNodes } from "../../test/guards/examples.ts";
import { imageOf, recordsOf, serving } from "../../test/playbooks/deployed-records.ts";
import { maintenanceMarker, powerOrder } from "../cluster/places.ts";

const vars = { nodes: 3, disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p" };
/** The nodes that are left after node 3 was removed. */
const names = ["harvester-1", "harvester-2"];
const own = '{"by":"harvester-shutdown","who":"me@laptop","since":"2026-01-01T00:00:00Z","why":"it is shut down"}\n';
const recorded = {
  [`file:${maintenanceMarker}`]: { type: "file", text: own },
  [`file:${powerOrder}`]: { type: "file", text: "harvester-2\nharvester-1\n" },
} as const;

const host = (state: string, more: SimulatedState = {}): SimulatedState => ({
  ...recordsOf(vars),
  ...Object.fromEntries(names.map((name) => [`libvirtDomain:${name}`, domainWith({}, { state })])),
  "libvirt:system": {
    daemon: "up",
    problem: "",
    networks: {},
    domains: Object.fromEntries(
      names.map((name) => [
        name,
        { active: state === "running", disks: [imageOf(name)], networks: ["vlan1"], bridges: [] },
      ]),
    ),
    links: {},
  },
  "libvirtNet:vlan1": { active: true },
  "file:/data/node-1.qcow2": { type: "file" },
  "file:/dev/kvm": { type: "other" },
  ...more,
});

const drivers = {
  kubernetes: (request: Json) =>
    answerFor({ ...soundCluster, nodes: threeNodes().slice(0, 2) }, request as { readonly path: string }),
  http: serving("AAAA"),
};
const run = (
  book: Playbook,
  metal: SimulatedState,
  more: object = {},
  mode: "apply" | "check" = "apply",
): Promise<Simulation> =>
  simulate(book, { hosts: ["metal"], vars: { ...vars, ...more }, state: { metal }, drivers, mode });
const steps = ({ tasks }: Simulation): string[] => tasks.flatMap((task) => task.steps);
const failure = ({ tasks }: Simulation) => tasks.at(-1)?.error?.failure;

describe("a cluster from which node 3 of 3 was removed", () => {
  test("is shut down and started again, once the inventory lists the node in removedNodes", async () => {
    const shut = await run(shutdown, host("running"), { removedNodes: [3] });
    expect(shut.result.errors).toEqual([]);
    expect(steps(shut).filter((step) => step.startsWith("shut "))).toEqual([
      "shut harvester-2 down",
      "shut harvester-1 down",
    ]);
    const ran = await run(restart, host("shut off", recorded), { removedNodes: [3] });
    expect(ran.result.errors).toEqual([]);
    expect(steps(ran)).toEqual([
      "virsh start harvester-1",
      "virsh start harvester-2",
      `remove ${powerOrder}`,
      `remove ${maintenanceMarker}`,
    ]);
  });

  test("is not shut down while the inventory lists three nodes; the hint names removedNodes", async () => {
    const ran = await run(shutdown, host("running"));
    expect(steps(ran)).toEqual([]);
    expect(failure(ran)?.hint).toContain("add its number to `removedNodes`");
  });

  test.each([
    ["shutdown", shutdown, {}],
    ["a forced shutdown", shutdown, { force: true }],
    ["restart", restart, {}],
    ["destroy", destroy, {}],
    ["destroy including the images", destroy, { removeDisks: true }],
  ])("%s refuses fewer nodes than the host has, and names the others", async (_name, book, more) => {
    for (const mode of ["check", "apply"] as const) {
      const ran = await run(book, host("running"), { nodes: 1, ...more }, mode);
      expect(steps(ran)).toEqual([]);
      expect(failure(ran)).toMatchObject({
        what: "this host has harvester-2, but the vars list only harvester-1",
        hint: expect.stringContaining("removedNodes") as string,
      });
    }
  });
});
