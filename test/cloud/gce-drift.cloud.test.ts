import { describe, expect, test } from "vitest";
import { type Node, type Playbook, playbook } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { provision } from "./gce-books.ts";
import { type GceFake, project, zone } from "./gce-fake/fake.ts";
import { eachWithGceFake } from "./gce-fake/here.ts";
import { runHere } from "./run-here.ts";

let fake: GceFake;
eachWithGceFake((made) => {
  fake = made;
});

const place = { project, zone };
const book = (...tasks: readonly Node[]): Playbook =>
  playbook({ name: "drift", plays: [{ hosts: "all", tasks: () => tasks }] });
const machine = {
  name: "lab",
  ...place,
  machineType: "n2-standard-16",
  image: { project: "suse-cloud", family: "sles-15" },
  disks: ["lab-data"],
  network: "lab",
  address: { name: "lab" },
  nested: true,
};

/**
 * Checks and runs a playbook, then runs it again. The first run must do what check mode predicts, and the second run
 * must change nothing.
 */
async function repair(playbookOfDrift: Playbook): Promise<string[]> {
  const made = fake.changes.length;
  const foreseen = await runHere(playbookOfDrift, { mode: "check" });
  expect(fake.changes.length).toBe(made);
  const repaired = await runHere(playbookOfDrift);
  expect(repaired.tasks.flatMap(({ error }) => error?.failure ?? [])).toEqual([]);
  expect(repaired.tasks.map(({ outcome }) => outcome)).toEqual(foreseen.tasks.map(({ outcome }) => outcome));
  const again = await runHere(playbookOfDrift);
  expect(again.tasks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  return fake.changes.slice(made).map((call) => call.replace(/projects\/.*?\/(global|zones\/[^/]+)\//, ""));
}

describe("disks that Google would automatically delete with their instance", () => {
  const path = (name: string): string => `projects/${project}/zones/${zone}/disks/${name}`;
  const disks = () =>
    fake.state.get(`projects/${project}/zones/${zone}/instances/lab`)["disks"] as { autoDelete: boolean }[];

  test("are kept if furrow or someone else attached them", async () => {
    await runHere(provision);
    for (const disk of disks()) disk.autoDelete = true;
    const removal = book(t.gceInstance({ name: "lab", ...place, state: "absent" }));
    const steps = ["keep disk lab-data when instance lab is deleted", "delete instance lab with its boot disk"];
    expect((await runHere(removal)).tasks).toMatchObject([{ outcome: "changed", steps }]);
    expect([fake.state.things.has(path("lab-data")), fake.state.things.has(path("lab"))]).toEqual([true, false]);
  });

  test("lose that setting on an instance that is not deleted", async () => {
    await runHere(provision);
    for (const disk of disks()) disk.autoDelete = true;
    const calls = await repair(provision);
    expect(calls).toEqual([expect.stringMatching(/^POST instances\/lab\/setDiskAutoDelete/)]);
  });
});

test("a project that does not exist is not mistaken for a missing instance of the same name", async () => {
  const other = "harvester";
  const removal = book(t.gceInstance({ name: other, project: other, zone, state: "absent" }));
  const { tasks } = await runHere(removal, { mode: "check" });
  expect(tasks.map(({ outcome, error }) => [outcome, error?.failure.hint])).toEqual([
    ["failed", "Correct the project: use its id, not its name or number"],
  ]);
});

describe("drift on Compute Engine", () => {
  test("in a network's MTU, a rule, and a disk's size, speed and labels is fixed in place", async () => {
    await runHere(provision);
    const calls = await repair(
      book(
        t.gceNetwork({ name: "lab", project, mtu: 8896 }),
        t.gceFirewall({
          name: "lab-ssh",
          project,
          network: "lab",
          allow: ["tcp:22", "icmp"],
          sourceRanges: ["198.51.100.0/24"],
        }),
        t.gceDisk({ name: "lab-data", ...place, sizeGb: 500, iops: 6000, throughput: 400, labels: { cost: "lab" } }),
      ),
    );
    expect(calls).toEqual([
      "PATCH networks/lab",
      "PUT firewalls/lab-ssh",
      "POST disks/lab-data/resize",
      "PATCH disks/lab-data",
      "POST disks/lab-data/setLabels",
    ]);
  });

  test("is repaired without a new instance if labels, metadata, tags or disks differ", async () => {
    await runHere(provision);
    const calls = await repair(
      book(
        t.gceDisk({ name: "more", ...place, sizeGb: 10 }),
        t.gceInstance({
          ...machine,
          disks: ["lab-data", "more"],
          labels: { cost: "lab" },
          tags: ["web"],
          metadata: { purpose: "test" },
        }),
      ),
    );
    expect(calls).toEqual([
      "POST disks",
      "POST instances/lab/setLabels",
      "POST instances/lab/setMetadata",
      "POST instances/lab/setTags",
      "POST instances/lab/attachDisk",
    ]);
    const lab = fake.state.get(`projects/${project}/zones/${zone}/instances/lab`);
    // Values that others have written are kept.
    expect(lab).toMatchObject({ labels: { role: "harvester", cost: "lab" } });
    expect(JSON.stringify(lab["metadata"])).toContain("ssh-keys");
  });

  test("in an instance's type is fixed by stopping and starting the instance", async () => {
    await runHere(provision);
    const machineType = "n2-standard-32";
    const running = await runHere(book(t.gceInstance({ ...machine, machineType })));
    expect(running.tasks[0]?.error?.failure.hint).toMatch(/^Stop it first/);
    expect(await repair(book(t.gceInstance({ ...machine, machineType, state: "stopped" })))).toEqual([
      "POST instances/lab/stop",
      "POST instances/lab/setMachineType",
    ]);
    expect(await repair(book(t.gceInstance({ ...machine, machineType })))).toEqual(["POST instances/lab/start"]);
  });

  test("is refused if the fix would lose a disk's data", async () => {
    await runHere(provision);
    const made = fake.changes.length;
    const { tasks } = await runHere(book(t.gceDisk({ name: "lab-data", ...place, sizeGb: 100 })));
    expect(tasks[0]?.error?.failure.what).toMatch(/would lose its data/);
    expect(fake.changes.length).toBe(made);
  });
});
