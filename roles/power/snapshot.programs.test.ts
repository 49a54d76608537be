import { describe, expect, test } from "vitest";
import restart from "../../playbooks/harvester-restart.ts";
import shutdown from "../../playbooks/harvester-shutdown.ts";
import { absent, type Json } from "../../src/authoring.ts";
import { simulate, type SimulatedState, type SimulatedTask, type Simulation } from "../../src/testing/index.ts";
import { domainWith } from "../../tasks/libvirt-domain/libvirt-domain.cases.ts";
import { answerFor, soundCluster } from "../../test/guards/examples.ts";
import { maintenanceMarker, powerOrder, shutdownChecked, snapshotRecord } from "../cluster/places.ts";
import { libvirtWith, recordsOf, serving } from "../../test/playbooks/deployed-records.ts";
import { recordText } from "./checked.ts";

const vars = { nodes: 3, disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p" };
const names = ["harvester-1", "harvester-2", "harvester-3"];
const record = `file:${snapshotRecord}`;
const marker = `file:${maintenanceMarker}`;
const name = "furrow-shutdown-20260101-000000";
const save = `rke2 etcd-snapshot save --name ${name}`;
const folder = "/var/lib/rancher/rke2/server/db/snapshots";
const taken = { path: `${folder}/${name}-harvester-1-1767225601`, bytes: 20_971_520 };
const port = (node: number, number: number): string => `port:192.168.130.1${node} ${number} virbr1`;
const recorded = (since: string, node = "harvester-1"): object => ({
  text: `${JSON.stringify({ name, node, since })}\n`,
});
const own = '{"by":"harvester-shutdown","who":"me@laptop","since":"2026-01-01T00:00:00Z","why":"it is shut down"}\n';
const begun = {
  [marker]: { text: own },
  [`file:${powerOrder}`]: { text: "harvester-3\nharvester-2\nharvester-1\n" },
  [`file:${shutdownChecked}`]: { text: recordText(names.toReversed(), "2026-01-01T00:00:00Z") },
};

/** A host with three nodes. */
function host(states: readonly string[], more: object = {}): SimulatedState {
  const domains = names.map((node, at) => [
    `libvirtDomain:${node}`,
    domainWith({}, { state: states[at] ?? "running" }),
  ]);
  return {
    ...Object.fromEntries(domains),
    ...libvirtWith(Object.fromEntries(names.map((node, at) => [node, states[at] ?? "running"]))),
    "file:/data/node-1.qcow2": { type: "file" },
    "file:/dev/kvm": { type: "other" },
    ...more,
  } as SimulatedState;
}
const on = ["running", "running", "running"];
const off = ["shut off", "shut off", "shut off"];

const drivers = {
  kubernetes: (request: Json) => answerFor(soundCluster, request as { readonly path: string }),
  http: serving("AAAA"),
};
const silent = { error: { code: "ECONNREFUSED", message: "no answer" } };
const dead = { kubernetes: () => silent, http: () => silent };

type Options = Partial<Parameters<typeof simulate>[1]>;
const run = (metal: SimulatedState, more: Options = {}, book = shutdown): Promise<Simulation> =>
  simulate(book, { hosts: ["metal"], vars, drivers, ...more, state: { metal, ...more.state } });
const steps = ({ tasks }: Simulation): string[] => tasks.flatMap((task) => task.steps);
const stops = (ran: Simulation): string[] => steps(ran).filter((step) => step.startsWith("shut "));
const notes = ({ tasks }: Simulation): string => tasks.flatMap((task) => task.notes).join("\n");
const failed = ({ tasks }: Simulation): SimulatedTask[] => tasks.filter(({ outcome }) => outcome === "failed");
/** The hosts to which furrow logged in. */
const entered = ({ events }: Simulation): string[] =>
  events.flatMap((event) => (event.type === "hostConnected" ? event.host : []));
const saves = (ran: Simulation): string[] => steps(ran).filter((step) => step.startsWith("rke2 "));

describe("an etcd snapshot before the shutdown", () => {
  test("is taken once, on the first management node, before any node is shut down", async () => {
    const asked: string[] = [];
    const ran = await run(host(on), {
      perform: (step, where) => {
        if (step.step === "run") asked.push(`${where}: ${step.argv.slice(4).join(" ")}`);
        return undefined;
      },
    });
    expect(ran.result.errors).toEqual([]);
    expect(asked[0]).toBe(`harvester-1.metal: /opt/rke2/bin/rke2 ${name} ${folder}`);
    expect(saves(ran)).toEqual([save]);
    expect(steps(ran).indexOf(save)).toBeLessThan(steps(ran).indexOf(`write ${maintenanceMarker}`));
    expect(ran.state["metal"]?.[record]).toMatchObject(recorded("2026-01-01T00:00:00Z"));
    expect(entered(ran)).toEqual(["metal", "harvester-1.metal"]);
  });

  test("is shown with its path and the command that restores it", async () => {
    const ran = await run(host(on, { [record]: recorded("2026-01-01T00:00:00Z") }), {
      state: { "harvester-1.metal": { [`etcdSnapshot:${name}`]: taken } },
    });
    expect(notes(ran)).toContain(`etcd snapshot on harvester-1: ${taken.path} (20 MiB)`);
    expect(notes(ran)).toContain(
      `/opt/rke2/bin/rke2 server --cluster-reset --cluster-reset-restore-path=${taken.path}`,
    );
    expect(notes(ran)).toContain("https://docs.rke2.io/datastore/backup_restore");
  });

  test("is predicted by check mode, which takes none", async () => {
    const checked = await run(host(on), { mode: "check" });
    const [task] = checked.tasks.filter(({ title }) => title === "etcd snapshot on harvester-1");
    expect(task).toMatchObject({ outcome: "changed", host: "metal" });
    expect(checked.tasks.filter(({ outcome }) => outcome === "undecided")).toEqual([]);
    expect(checked.state["metal"]?.[record]).toBeUndefined();
  });

  test.each([
    ["closed to logins", { [port(1, 22)]: { open: false } }],
    ["not a management node, or does not run RKE2", { [port(1, 9345)]: { open: false } }],
  ])("is taken on the next node if the first is %s", async (_why, more) => {
    const ran = await run(host(on, more));
    expect(ran.result.errors).toEqual([]);
    expect(entered(ran)).toEqual(["metal", "harvester-2.metal"]);
    expect(ran.state["metal"]?.[record]).toMatchObject(recorded("2026-01-01T00:00:00Z", "harvester-2"));
  });

  test("is taken on a witness only if no other node can take one", async () => {
    const witness = { ...vars, witness: true };
    const closed = { [port(1, 22)]: { open: false }, [port(2, 9345)]: { open: false } };
    const ran = await run(host(on, closed), { vars: witness });
    expect(entered(ran)).toEqual(["metal", "harvester-3.metal"]);
  });
});

describe("a shutdown without an etcd snapshot", () => {
  const closed = Object.fromEntries([1, 2, 3].map((node) => [port(node, 9345), { open: false }]));

  test.each(["check", "apply"] as const)("is refused if no management node can be reached (%s)", async (mode) => {
    const ran = await run(host(on, { ...closed, [port(2, 22)]: { open: false } }), { mode });
    const [failure] = failed(ran);
    expect(failure?.error?.failure).toMatchObject({
      what: "no management node can take an etcd snapshot",
      current:
        "harvester-1: RKE2 does not answer (port 9345); harvester-2: no logins (port 22); harvester-3: RKE2 does not answer (port 9345)",
    });
    expect(failure?.error?.failure.hint).toContain("--var skipSnapshot=true");
    expect([stops(ran), ran.state["metal"]?.[marker], ran.state["metal"]?.[record]]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });

  test.each(["check", "apply"] as const)("is refused if the node has no rke2 anywhere (%s)", async (mode) => {
    const programs = ["/opt/rke2/bin/rke2", "/usr/local/bin/rke2", "/var/lib/rancher/rke2/bin/rke2"];
    const state = { "harvester-1.metal": Object.fromEntries(programs.map((path) => [`program:${path}`, absent])) };
    const ran = await run(host(on), { mode, state });
    const [first, second] = failed(ran);
    expect(first?.error?.failure.what).toBe(`harvester-1 has no rke2 program (looked at ${programs.join(", ")})`);
    expect(second?.error?.failure.what).toBe("the cluster stays on, because no etcd snapshot of it could be taken");
    expect(second?.error?.failure.hint).toContain("--var skipSnapshot=true");
    expect([stops(ran), ran.state["metal"]?.[marker]]).toEqual([[], undefined]);
  });

  test("finds rke2 where RKE2's own installer puts it", async () => {
    let program = "";
    await run(host(on), {
      state: { "harvester-1.metal": { "program:/opt/rke2/bin/rke2": absent } },
      perform: (step) => {
        if (step.step === "run" && step.label === save) program = step.argv[4] ?? "";
        return undefined;
      },
    });
    expect(program).toBe("/usr/local/bin/rke2");
  });

  test("is refused if rke2 fails, and the error contains rke2's message", async () => {
    const says = "FATA[0000] see server log for details: etcd datastore disabled";
    const ran = await run(host(on), {
      perform: (step) => (step.step === "run" && step.label === save ? { exitCode: 1, stderr: says } : undefined),
    });
    expect(failed(ran).map(({ error }) => error?.failure.details ?? [])).toEqual([[says], ["refused: no-snapshot"]]);
    expect([stops(ran), ran.state["metal"]?.[marker]]).toEqual([[], undefined]);
  });

  test("continues with skipSnapshot, and says so", async () => {
    const ran = await run(host(on, closed), { vars: { ...vars, skipSnapshot: true } });
    expect(ran.result.errors).toEqual([]);
    expect(saves(ran)).toEqual([]);
    expect(stops(ran)).toHaveLength(3);
    expect(notes(ran)).toContain("skipSnapshot is set, so no etcd snapshot is taken");
    expect(entered(ran)).toEqual(["metal"]);
  });

  test("with skipSnapshot keeps no record of a snapshot that could not be taken", async () => {
    const ran = await run(host(on, { [record]: recorded("2026-01-01T00:00:00Z") }), {
      vars: { ...vars, skipSnapshot: true },
    });
    expect(ran.state["metal"]?.[record]).toBe(absent);
  });
});

describe("a rerun of a shutdown", () => {
  const there = { "harvester-1.metal": { [`etcdSnapshot:${name}`]: taken } };

  test("takes no second snapshot if the earlier run was killed after taking one", async () => {
    const earlier = { [record]: recorded("2025-12-31T23:30:00Z") };
    const ran = await run(host(on, earlier), { state: there });
    expect(ran.result.errors).toEqual([]);
    expect(saves(ran)).toEqual([]);
    expect(stops(ran)).toHaveLength(3);
    expect(ran.state["metal"]?.[record]).toMatchObject(earlier[record] ?? {});
  });

  test("takes the snapshot that a killed run had only begun, under the same name", async () => {
    const ran = await run(host(on, { [record]: recorded("2025-12-31T23:30:00Z") }));
    expect(saves(ran)).toEqual([save]);
  });

  test.each([
    ["from yesterday", "2025-12-31T00:00:00Z"],
    ["from a clock that is ahead", "2026-01-01T05:00:00Z"],
  ])("takes a new snapshot instead of one %s, because the cluster has been in use since", async (_what, since) => {
    const old = {
      text: `${JSON.stringify({ name: "furrow-shutdown-20251231-000000", node: "harvester-1", since })}\n`,
    };
    const ran = await run(host(on, { [record]: old }));
    expect(saves(ran)).toEqual([save]);
    expect(ran.state["metal"]?.[record]).toMatchObject(recorded("2026-01-01T00:00:00Z"));
  });

  test("replaces a record that is damaged", async () => {
    const ran = await run(host(on, { [record]: { text: "{" } }));
    expect(ran.result.errors).toEqual([]);
    expect(saves(ran)).toEqual([save]);
  });

  test("logs in to no node once a node is off, and shows the snapshot", async () => {
    const half = host(["running", "shut off", "shut off"], { ...begun, [record]: recorded("2025-12-31T23:30:00Z") });
    const ran = await run(half, { drivers: dead });
    expect(ran.result.errors).toEqual([]);
    expect(steps(ran)).toEqual(["shut harvester-1 down"]);
    expect(notes(ran)).toContain(`etcd snapshot on harvester-1: ${folder}/${name}-*`);
    expect(notes(ran)).toContain(`--cluster-reset-restore-path="$(ls ${folder}/${name}-*)"`);
    expect(entered(ran)).toEqual(["metal"]);
  });

  test("says so if the shutdown was begun without a snapshot", async () => {
    const ran = await run(host(["running", "shut off", "shut off"], begun), { drivers: dead });
    expect(ran.result.errors).toEqual([]);
    expect(notes(ran)).toContain("a shutdown has begun without an etcd snapshot, and none is taken now");
  });

  test("takes a snapshot if a node is off but no shutdown has begun", async () => {
    expect(saves(await run(host(["running", "running", "shut off"])))).toEqual([save]);
  });

  test("with skipSnapshot keeps the record of the snapshot that was taken before a node was stopped", async () => {
    const half = host(["running", "running", "shut off"], { ...begun, [record]: recorded("2025-12-31T23:30:00Z") });
    const ran = await run(half, { vars: { ...vars, skipSnapshot: true } });
    expect(ran.result.errors).toEqual([]);
    expect(ran.state["metal"]?.[record]).toMatchObject(recorded("2025-12-31T23:30:00Z"));
    expect(notes(ran)).toContain(`etcd snapshot on harvester-1: ${folder}/${name}-*`);
  });

  test("shows no snapshot if nodes were switched off by hand after an attempt to take a snapshot had failed", async () => {
    const ran = await run(host(off, { [record]: recorded("2025-12-31T23:30:00Z") }), { drivers: dead });
    expect(ran.result.errors).toEqual([]);
    expect(notes(ran)).toContain("all nodes are off, so no etcd snapshot is taken");
    expect(notes(ran)).not.toContain("etcd snapshot on");
  });

  test("changes nothing if all nodes are off, and contacts no node", async () => {
    const done = host(off, { ...begun, [record]: recorded("2025-12-31T23:30:00Z") });
    const ran = await run(done, { drivers: dead });
    expect(ran.tasks.filter(({ outcome }) => outcome !== "ok" && outcome !== "skipped")).toEqual([]);
    expect(notes(ran)).toContain(`etcd snapshot on harvester-1: ${folder}/${name}-*`);
    expect(entered(ran)).toEqual(["metal"]);
    expect(ran.assumed["metal"]?.filter((id) => id.startsWith("port:") && !id.includes("130.120"))).toEqual([]);
    const skipped = await run(host(off, begun), { drivers: dead, vars: { ...vars, skipSnapshot: true } });
    expect(ran.result.recap.map(({ frames }) => frames)).toEqual(skipped.result.recap.map(({ frames }) => frames));
  });
});

describe("a restart", () => {
  test("takes no snapshot, shows the one of the shutdown, and forgets it once the cluster is back", async () => {
    const shut = host(off, { ...begun, [record]: recorded("2025-12-31T23:30:00Z") });
    const ran = await run({ ...recordsOf(vars), ...shut }, {}, restart);
    expect(ran.result.errors).toEqual([]);
    expect(saves(ran)).toEqual([]);
    expect(notes(ran)).toContain(`etcd snapshot on harvester-1: ${folder}/${name}-*`);
    expect(ran.state["metal"]?.[record]).toBe(absent);
  });
});
