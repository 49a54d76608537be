import { describe, expect, test } from "vitest";
import { type Playbook, playbook, type TaskCall } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { provision } from "./gce-books.ts";
import { type GceFake, project, zone } from "./gce-fake/fake.ts";
import { eachWithGceFake } from "./gce-fake/here.ts";
import { type RunHere, runHere } from "./run-here.ts";

let fake: GceFake;
eachWithGceFake((made) => {
  fake = made;
});

const notes = ({ tasks }: RunHere): string[] => tasks.flatMap((task) => task.notes ?? []);
const outcomes = ({ tasks }: RunHere): string[] => tasks.map(({ outcome, error }) => error?.message ?? outcome);
const errors = ({ tasks }: RunHere): (string | undefined)[] =>
  tasks.flatMap(({ error }) => (error === undefined ? [] : [error.message, ...(error.failure.details ?? [])]));
const asked = (calls: readonly string[]): string[] => calls.filter((call) => /^\w+ \//.test(call));
const all = (outcome: string): string[] => Array.from({ length: 5 }, () => outcome);
const book = (...calls: readonly TaskCall[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => calls }] });

describe("a rehearsal on Compute Engine", () => {
  test("changes nothing in check mode, and adds no notes if Google answers everything", async () => {
    const check = await runHere(provision, { mode: "check" });
    expect(outcomes(check)).toEqual(all("changed"));
    expect(notes(check)).toEqual([]);
    expect(fake.changes).toEqual([]);
    expect(asked(fake.calls)).toHaveLength(5 + 5);
  });

  test("asks before the first change of a run, and not at all in a rerun", async () => {
    expect(outcomes(await runHere(provision))).toEqual(all("changed"));
    const [change] = fake.changes;
    expect(asked(fake.calls.slice(fake.calls.indexOf(change ?? "")))).toEqual([]);
    const before = fake.calls.length;
    expect(outcomes(await runHere(provision))).toEqual(all("ok"));
    expect(asked(fake.calls.slice(before))).toEqual([]);
  });

  test("reports a missing permission for a later task as an error of the first task that changes something", async () => {
    fake.settings.denied.add("compute.instances.create");
    expect(errors(await runHere(provision))).toEqual([
      "the credentials in use do not permit compute.instances.create",
      "refused: not-permitted",
      'found before the first change, for the later task "gceInstance lab"',
    ]);
    expect(fake.changes).toEqual([]);
  });

  test.each([
    ["on the project", [["projects/project-1", "roles/compute.admin"]]],
    ["on the organization", [["organizations/1", "roles/compute.admin"]]],
  ] as const)(
    "reports a permission as unknown, by name, if a role is granted under a condition %s",
    async (_where, roles) => {
      fake.settings.denied.add("compute.instances.create").add("compute.disks.create");
      fake.settings.conditional = roles;
      const check = await runHere(provision, { mode: "check" });
      expect(errors(check)).toEqual([]);
      const [[where, role]] = roles;
      const because = `may be granted only under a condition (roles are granted under a condition: ${role} on ${where}))`;
      expect(notes(check)).toEqual([
        `not known in advance: create disk lab-data (permissions: compute.disks.create ${because}`,
        `not known in advance: create instance lab (permissions: compute.instances.create, compute.disks.create ${because}`,
      ]);
    },
  );

  test("reports a permission as unknown, by name, if the roles under a condition cannot be read", async () => {
    fake.settings.denied.add("compute.instances.create").add("resourcemanager.projects.getIamPolicy");
    const check = await runHere(provision, { mode: "check" });
    expect(errors(check)).toEqual([]);
    expect(notes(check)).toEqual([
      "not known in advance: create instance lab (permissions: compute.instances.create may be granted only under a condition (cloudresourcemanager answers 403: The caller does not have permission))",
    ]);
  });

  test.each([
    ["cloudresourcemanager", 5, /^not known in advance: .* \(permissions: cloudresourcemanager answers 403: The API /],
    [
      "orgpolicy",
      1,
      /^not known in advance: create instance lab \(policies of the organization: orgpolicy answers 403: /,
    ],
  ])("notes that %s does not answer, and does not stop the run", async (api, count, note) => {
    fake.settings.closed.add(api);
    const check = await runHere(provision, { mode: "check" });
    expect(notes(check)).toEqual(Array.from({ length: count }, () => expect.stringMatching(note) as string));
    expect(outcomes(check)).toEqual(all("changed"));
    expect(outcomes(await runHere(provision))).toEqual(all("changed"));
  });

  test("notes quotas that the credentials may not read", async () => {
    fake.planned.push({
      on: /^GET projects\/project-1\/regions\/europe-west3$/,
      status: 403,
      reason: "forbidden",
      message: "Required 'compute.regions.get' permission for 'projects/project-1/regions/europe-west3'",
      times: 100,
    });
    const check = await runHere(provision, { mode: "check" });
    expect(notes(check)).toContainEqual(
      expect.stringMatching(
        /^not known in advance: create disk lab-data \(quotas: .*'compute\.regions\.get' permission/,
      ),
    );
    expect(errors(check)).toEqual([]);
  });

  test("notes a quota that the API does not show", async () => {
    const machine = { name: "lab", project, zone, machineType: "n4-standard-16", network: "lab" };
    const image = { project: "debian-cloud", family: "debian-12" };
    const check = await runHere(book(t.gceNetwork({ name: "lab", project }), t.gceInstance({ ...machine, image })), {
      mode: "check",
    });
    expect(notes(check)).toEqual(["not known in advance: create instance lab (quotas: the API does not show N4_CPUS)"]);
  });

  test("reports an exhausted quota as a note, not as an error, if an earlier task of the plan frees some of it", async () => {
    const old = { name: "old", project };
    await runHere(book(t.gceNetwork(old)));
    fake.settings.limits = { NETWORKS: 1 };
    const swap = book(t.gceNetwork({ ...old, state: "absent" }), t.gceNetwork({ name: "lab", project }));
    const check = await runHere(swap, { mode: "check" });
    expect(notes(check)).toEqual([
      "not known in advance: create network lab (quotas: NETWORKS is exhausted, unless an earlier task frees some of it)",
    ]);
    expect(outcomes(await runHere(swap))).toEqual(["changed", "changed"]);
  });

  test("notes a policy with a condition", async () => {
    fake.settings.policies = {
      "compute.vmExternalIpAccess": [{ denyAll: true, condition: { expression: "resource.matchTag('1/env', 'lab')" } }],
    };
    expect(notes(await runHere(provision, { mode: "check" }))).toEqual([
      "not known in advance: create instance lab (policies of the organization: the policy compute.vmExternalIpAccess depends on a condition)",
    ]);
  });

  test("accepts a permission on the resource itself as sufficient to change it", async () => {
    await runHere(provision);
    const removal = book(t.gceDisk({ name: "lab-data", project, zone, sizeGb: 400 }));
    fake.settings.denied.add("compute.disks.resize");
    expect(outcomes(await runHere(removal, { mode: "check" }))).toEqual([
      "the credentials in use do not permit compute.disks.resize",
    ]);
    fake.settings.granted.add("compute.disks.resize on lab-data");
    expect(outcomes(await runHere(removal, { mode: "check" }))).toEqual(["changed"]);
    expect(outcomes(await runHere(removal))).toEqual(["changed"]);
  });

  test("does not stop a run if the denied task is allowed to fail", async () => {
    fake.settings.denied.add("compute.addresses.create");
    const address = { name: "lab", project, region: "europe-west3" };
    const list = book(t.gceNetwork({ name: "lab", project }), t.gceAddress(address, { ignoreFailure: true }));
    expect((await runHere(list)).tasks.map(({ outcome }) => outcome)).toEqual(["changed", "failed"]);
  });
});
