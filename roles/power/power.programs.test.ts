import { describe, expect, test } from "vitest";
import restart from "../../playbooks/harvester-restart.ts";
import shutdown from "../../playbooks/harvester-shutdown.ts";
import { absent, type Json } from "../../src/authoring.ts";
import { simulate, type SimulatedState, type Simulation } from "../../src/testing/index.ts";
import { domainWith } from "../../tasks/libvirt-domain/libvirt-domain.cases.ts";
import { answerFor, instanceOf, soundCluster } from "../../test/guards/examples.ts";
import { clusterLists } from "../cluster-answers/answers.ts";
import { maintenanceMarker, powerOrder, shutdownChecked, snapshotRecord } from "../cluster/places.ts";
import { libvirtWith, recordsOf, serving } from "../../test/playbooks/deployed-records.ts";
import { recordText } from "./checked.ts";

const vars = {
  nodes: 3,
  disks: ["/dev/a", "/dev/b", "/dev/c"],
  token: "t",
  password: "p",
};
const names = ["harvester-1", "harvester-2", "harvester-3"];
const marker = `file:${maintenanceMarker}`;
const order = `file:${powerOrder}`;

/** A host with these nodes. Each has an extra disk, sdb, which the inventory above does not list. */
function host(states: Readonly<Record<string, string>>, more: SimulatedState = {}): SimulatedState {
  const domains = Object.entries(states).map(([name, state]) => [
    `libvirtDomain:${name}`,
    domainWith({ disks: { sdb: { file: "/mnt/extra.qcow2", format: "qcow2", bus: "scsi" } } }, { state }),
  ]);
  return {
    ...Object.fromEntries(domains),
    ...libvirtWith(states),
    "file:/data/node-1.qcow2": { type: "file" },
    "file:/mnt/extra.qcow2": { type: "file" },
    "file:/dev/kvm": { type: "other" },
    ...more,
  } as SimulatedState;
}
const all = (state: string): Record<string, string> => Object.fromEntries(names.map((name) => [name, state]));

/** The answers of a cluster in which these virtual machines are running. */
const cluster = (...machines: string[]) => ({
  kubernetes: (request: Json) =>
    answerFor(
      { ...soundCluster, instances: machines.map((name) => instanceOf(name, "harvester-1")) },
      request as { readonly path: string },
    ),
  http: serving("AAAA"),
});
const dead = {
  kubernetes: () => ({ error: { code: "ECONNREFUSED", message: "no answer" } }),
  http: () => ({ error: { code: "curl 7", message: "refused" } }),
};

const changed = ({ tasks }: Simulation): string[] =>
  tasks.filter(({ outcome }) => outcome === "changed").map(({ title }) => title);
const refusal = ({ tasks }: Simulation): string | undefined => tasks.at(-1)?.error?.message;
const textOf = ({ state }: Simulation, id: string): string => {
  const value = state["metal"]?.[id] as { readonly text?: string } | typeof absent | undefined;
  return value === undefined || value === absent ? "absent" : (value.text ?? "");
};

type Perform = NonNullable<Parameters<typeof simulate>[1]["perform"]>;

const run = (
  book: typeof shutdown,
  state: SimulatedState,
  { drivers = cluster(), ...more }: Partial<Parameters<typeof simulate>[1]> = {},
): Promise<Simulation> =>
  simulate(book, {
    hosts: ["metal"],
    vars,
    // A restart compares the cluster with what was recorded when it was deployed.
    state: { metal: book === restart ? { ...recordsOf(vars), ...state } : state },
    drivers,
    ...more,
  });
const own = '{"by":"harvester-shutdown","who":"me@laptop","since":"2026-01-01T00:00:00Z","why":"it is shut down"}\n';
const removal =
  '{"by":"harvester-remove-node","node":"harvester-3","who":"you@desk","since":"2026-01-02T00:00:00Z","why":"it leaves"}\n';

describe("the shutdown", () => {
  test("switches nodes off, the last first, and keeps a disk that the inventory does not list", async () => {
    const ran = await run(shutdown, host(all("running")));
    expect(ran.result.errors).toEqual([]);
    const domains = ran.tasks.flatMap(({ changes }) =>
      Object.entries(changes).filter(([fact]) => fact.startsWith("libvirtDomain:")),
    );
    expect(domains).toEqual(names.toReversed().map((name) => [`libvirtDomain:${name}`, ["state"]]));
    expect(ran.tasks.flatMap(({ steps }) => steps)).toEqual([
      "make directory /etc/furrow-harvester",
      `write ${shutdownChecked}`,
      `write ${snapshotRecord}`,
      "rke2 etcd-snapshot save --name furrow-shutdown-20260101-000000",
      `write ${maintenanceMarker}`,
      `write ${powerOrder}`,
      "shut harvester-3 down",
      "shut harvester-2 down",
      "shut harvester-1 down",
    ]);
    expect(JSON.parse(textOf(ran, marker))).toEqual({
      by: "harvester-shutdown",
      who: "simulated@controller",
      since: "2026-01-01T00:00:00Z",
      why: "the cluster is shut down",
    });
  });

  test.each(["check", "apply"] as const)("writes no marker if a node is missing or paused (%s)", async (mode) => {
    const { "harvester-2": _gone, ...two } = all("running");
    const missing = await run(shutdown, host(two), { mode });
    expect(refusal(missing)).toBe("libvirt has no virtual machine harvester-2");
    const paused = await run(shutdown, host({ ...all("running"), "harvester-1": "paused" }), { mode });
    expect(refusal(paused)).toBe("harvester-1 is paused");
    const busy = await run(shutdown, host(all("running")), { mode, drivers: cluster("web") });
    expect(refusal(busy)).toBe("virtual machines are running: default/web");
    for (const one of [missing, paused, busy]) {
      expect(changed(one)).toEqual([]);
      expect([textOf(one, marker), textOf(one, order)]).toEqual(["absent", "absent"]);
    }
  });

  test("continues after a kill, although the cluster no longer answers", async () => {
    const begun = {
      [marker]: { text: own },
      [order]: { text: "harvester-3\nharvester-2\nharvester-1\n" },
      [`file:${shutdownChecked}`]: { text: recordText(names.toReversed(), "2026-01-01T00:00:00Z") },
    };
    const half = host({ ...all("shut off"), "harvester-1": "running" }, begun);
    const ran = await run(shutdown, half, { drivers: dead });
    expect(ran.result.errors).toEqual([]);
    expect(ran.tasks.flatMap(({ steps }) => steps)).toEqual(["shut harvester-1 down"]);
    expect(ran.tasks.find(({ title }) => title === "nothing runs on the cluster")?.outcome).toBe("ok");
    expect(textOf(ran, marker)).toBe(own);
    const again = await run(shutdown, host(all("shut off"), begun), { drivers: dead });
    expect(changed(again)).toEqual([]);
    expect(again.result.errors).toEqual([]);
  });

  test("queries only machines, volumes, upgrades and nodes, and changes nothing in the cluster", async () => {
    const asked: { readonly path: string }[] = [];
    const kubernetes = (request: Json): unknown => {
      asked.push(request as { readonly path: string });
      return cluster().kubernetes(request);
    };
    const calls: string[] = [];
    const ran = await run(shutdown, host(all("running")), {
      drivers: { ...cluster(), kubernetes },
      perform: (step) => {
        if (step.step === "call") calls.push(step.label);
        return undefined;
      },
    });
    expect(ran.result.errors).toEqual([]);
    expect(new Set(asked.map(({ path }) => path))).toEqual(
      new Set([
        clusterLists.instances.path,
        clusterLists.volumes.path,
        clusterLists.upgrades.path,
        clusterLists.nodes.path,
      ]),
    );
    expect(calls).toEqual([]);
  });

  test("queries the cluster again if an earlier run was killed soon after the shutdown began", async () => {
    const begun = host(all("running"), { [marker]: { text: own } });
    expect(refusal(await run(shutdown, begun, { drivers: cluster("web") }))).toBe(
      "virtual machines are running: default/web",
    );
  });

  test("does not mistake what a forced shutdown left behind for the record of a check", async () => {
    const begun = host(all("running"), {
      [`file:${shutdownChecked}`]: { text: recordText(names.toReversed(), "2026-01-01T00:00:00Z") },
    });
    const stuck: Perform = (step) =>
      step.step === "run" && step.label === "shut harvester-1 down" ? { exitCode: 1, stderr: "it hangs" } : undefined;
    const forced = await run(shutdown, begun, {
      vars: { ...vars, force: true },
      drivers: cluster("web"),
      perform: stuck,
    });
    expect(refusal(forced)).toContain("the shutdown cannot finish");
    const again = await run(shutdown, forced.state["metal"] as SimulatedState, { drivers: dead });
    expect(refusal(again)).toContain("cannot tell whether anything runs on the cluster");
    expect(changed(again)).toEqual([]);
  });

  test("continues after a failure, because the failed run had checked the cluster", async () => {
    const stuck: Perform = (step) =>
      step.step === "run" && step.label === "shut harvester-1 down" ? { exitCode: 1, stderr: "it hangs" } : undefined;
    const failed = await run(shutdown, host(all("running")), { perform: stuck });
    const again = await run(shutdown, failed.state["metal"] as SimulatedState, { drivers: dead });
    expect(again.result.errors).toEqual([]);
    expect(again.tasks.flatMap(({ steps }) => steps)).toEqual(["shut harvester-1 down"]);
  });

  test("powers a node off only if that is requested", async () => {
    const stop = async (more: object): Promise<string> => {
      let words = "";
      await run(shutdown, host(all("running")), {
        vars: { ...vars, ...more },
        perform: (step) => {
          if (step.step === "run" && step.label === "shut harvester-1 down")
            words = step.argv?.slice(-2).join(" ") ?? "";
          return undefined;
        },
      });
      return words;
    };
    expect(await stop({ force: true })).toBe("300 no");
    expect(await stop({ powerOff: true, shutdownSeconds: 60 })).toBe("60 yes");
  });
});

test("a simulation accepts guests that are described by their state alone", async () => {
  const state = (is: string): SimulatedState => ({
    ...host(all(is)),
    ...Object.fromEntries(names.map((name) => [`libvirtDomain:${name}`, { state: is }])),
  });
  const off = await run(shutdown, state("running"));
  expect(off.result.errors).toEqual([]);
  const on = await run(restart, { ...state("shut off"), [marker]: { text: own } });
  expect(on.result.errors).toEqual([]);
});

describe("the restart", () => {
  const off = (more: SimulatedState = {}): SimulatedState =>
    host(all("shut off"), { [marker]: { text: own }, ...more });

  test("starts the nodes in reverse order, clears its marker and keeps a disk that the inventory does not list", async () => {
    const ran = await run(restart, off({ [order]: { text: "harvester-2\nharvester-3\nharvester-1\n" } }));
    expect(ran.result.errors).toEqual([]);
    expect(ran.tasks.flatMap(({ steps }) => steps)).toEqual([
      "virsh start harvester-1",
      "virsh start harvester-3",
      "virsh start harvester-2",
      `remove ${powerOrder}`,
      `remove ${maintenanceMarker}`,
    ]);
    expect(ran.tasks.flatMap(({ changes }) => changes["libvirtDomain:harvester-1"] ?? [])).toEqual(["state"]);
  });

  test.each(["check", "apply"] as const)("starts no node if a disk is not mounted (%s)", async (mode) => {
    const ran = await run(restart, off({ "file:/mnt/extra.qcow2": absent }), { mode });
    expect(refusal(ran)).toContain("the disk /mnt/extra.qcow2 does not exist");
    expect(changed(ran)).toEqual([]);
  });

  test("keeps the marker of a removal that failed halfway, and says so", async () => {
    const shut = await run(shutdown, host(all("running"), { [marker]: { text: removal } }));
    expect(textOf(shut, marker).split("\n")).toHaveLength(3);
    expect(shut.tasks.flatMap(({ notes }) => notes).join()).toContain("by you@desk (harvester-remove-node)");
    const ran = await run(restart, shut.state["metal"] as SimulatedState);
    expect(ran.result.errors).toEqual([]);
    expect(textOf(ran, marker)).toBe(removal);
    expect(ran.tasks.flatMap(({ notes }) => notes).join()).toContain("--var node=3");
  });

  test("clears the marker that version 0.1 wrote, but not one that a person made", async () => {
    const old = await run(restart, off({ [marker]: { text: "the cluster is switched off\n" } }));
    expect(textOf(old, marker)).toBe("absent");
    const touched = await run(restart, off({ [marker]: { text: "" } }));
    expect(textOf(touched, marker)).toBe("");
    expect(touched.tasks.flatMap(({ notes }) => notes).join()).toContain(`rm ${maintenanceMarker}`);
  });
});
