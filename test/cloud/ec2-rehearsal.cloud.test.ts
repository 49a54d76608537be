import { describe, expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { destroy, provision, provisionNetwork } from "./ec2-books.ts";
import type { Call } from "./ec2-fake/fake.ts";
import { ApiError } from "./ec2-fake/wire.ts";
import { ec2FakeHere } from "./ec2-fake/here.ts";
import { type RunHere, runHere } from "./run-here.ts";

const fake = await ec2FakeHere();

/** The calls that may change something; a call with DryRun is shown as `dry NAME`. */
const acts = (calls: readonly Call[]): string[] =>
  calls.flatMap(({ action, params, mutating }) =>
    mutating ? [action] : params["DryRun"] === "true" ? [`dry ${action}`] : [],
  );
const errors = ({ tasks }: RunHere): (string | undefined)[] =>
  tasks.flatMap(({ error }) => (error === undefined ? [] : [error.message, ...(error.failure.details ?? [])]));

const all = [
  "dry ImportKeyPair",
  "dry CreateSecurityGroup",
  "dry AuthorizeSecurityGroupIngress",
  "dry RunInstances",
  "dry GetConsoleOutput",
  "dry CreateTags",
  "dry CreateVolume",
  "dry AttachVolume",
  "dry AllocateAddress",
  "dry AssociateAddress",
];

describe("a rehearsal on EC2", () => {
  test("asks about every planned call in check mode, even if the call needs a resource that does not exist yet", async () => {
    const check = await runHere(provision, { mode: "check" });
    expect(acts(fake.calls)).toEqual(all);
    expect(check.tasks.flatMap(({ notes }) => notes ?? [])).toEqual([]);
  });

  test("asks about every planned call before the first change of a run, and about none in a rerun", async () => {
    const run = await runHere(provision);
    expect(run.tasks.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => "changed"));
    expect(acts(fake.calls).slice(0, all.length)).toEqual(all);
    expect(acts(fake.calls).slice(all.length).join(" ")).not.toContain("dry");
    const before = fake.calls.length;
    await runHere(provision);
    expect(acts(fake.calls.slice(before))).toEqual([]);
  });

  test("asks about the removal of everything that exists", async () => {
    await runHere(provision);
    const before = fake.calls.length;
    await runHere(destroy, { mode: "check" });
    expect(acts(fake.calls.slice(before))).toEqual([
      "dry TerminateInstances",
      "dry ReleaseAddress",
      "dry DeleteVolume",
      "dry DeleteSecurityGroup",
      "dry DeleteKeyPair",
    ]);
  });

  test.each(["ImportKeyPair", "CreateSecurityGroup", "RunInstances", "CreateVolume", "AllocateAddress"])(
    "reports a missing permission for %s in check mode, and in a run before the first change",
    async (action) => {
      fake.reset({ denied: [action] });
      const said = `the credentials in use do not permit ec2:${action}`;
      expect(errors(await runHere(provision, { mode: "check" }))).toEqual([said, "refused: not-permitted"]);
      expect(errors(await runHere(provision))).toContain(said);
      expect(fake.calls.filter(({ mutating }) => mutating)).toEqual([]);
    },
  );

  test("reports a missing permission for a later task as an error of the first task that changes something", async () => {
    fake.reset({ denied: ["AllocateAddress"] });
    expect(errors(await runHere(provision))).toEqual([
      "the credentials in use do not permit ec2:AllocateAddress",
      "refused: not-permitted",
      'found before the first change, for the later task "ec2Address web"',
    ]);
  });

  test("does not ask about a call for which the API has no dry run, because EC2 would perform it", async () => {
    await runHere(provisionNetwork);
    for (const subnet of fake.world().subnets) subnet.publicAddresses = false;
    const before = fake.calls.length;
    const { tasks } = await runHere(provisionNetwork, { mode: "check" });
    expect(tasks[1]).toMatchObject({
      outcome: "changed",
      notes: [
        "not known in advance: give machines in lab public addresses (EC2 offers no dry run of ModifySubnetAttribute)",
      ],
    });
    expect(acts(fake.calls.slice(before))).toEqual([]);
  });

  test("reports a refusal that is due to the current state as a note, because an earlier step may change that state", async () => {
    await runHere(provision);
    fake.keep({
      judge: ({ action, params }) =>
        action === "DeleteVolume" && params["DryRun"] === "true"
          ? new ApiError("VolumeInUse", "the volume is attached")
          : undefined,
    });
    const check = await runHere(destroy, { mode: "check" });
    expect(errors(check)).toEqual([]);
    expect(check.tasks.flatMap(({ notes }) => notes ?? [])).toEqual([
      "not known in advance: delete web-data (not in its current state: VolumeInUse)",
    ]);
    expect(errors(await runHere(destroy))).toEqual([]);
  });

  test("fails in check mode if EC2 considers a call invalid", async () => {
    fake.reset({
      judge: ({ action, params }) =>
        action === "RunInstances" && params["DryRun"] === "true"
          ? new ApiError("InvalidParameterCombination", "These options are mutually exclusive")
          : undefined,
    });
    expect(errors(await runHere(provision, { mode: "check" }))).toEqual([
      "cannot launch web in eu-test-1",
      "refused: not-accepted",
    ]);
    expect(errors(await runHere(provision))[0]).toBe("cannot launch web in eu-test-1");
    expect(fake.calls.filter(({ mutating }) => mutating)).toEqual([]);
  });

  test("names each quota that cannot be read, and reports it as unknown", async () => {
    fake.reset({ processors: undefined, denied: ["DescribeAccountAttributes"] });
    const check = await runHere(provision, { mode: "check" });
    expect(errors(check)).toEqual([]);
    expect(check.tasks.flatMap(({ notes }) => notes ?? [])).toEqual([
      "not known in advance: whether the account's quota allows another machine of this type (Service Quotas answers 400)",
      "not known in advance: whether the account's quota allows another address (the credentials do not allow furrow to read it)",
    ]);
  });

  test("does not stop a run if the denied task is allowed to fail", async () => {
    fake.reset({ denied: ["AllocateAddress"] });
    const region = "eu-test-1";
    const group = t.ec2SecurityGroup({ name: "web", region });
    const book = playbook({
      name: "two",
      plays: [{ hosts: "all", tasks: () => [group, t.ec2Address({ name: "web", region }, { ignoreFailure: true })] }],
    });
    const { tasks } = await runHere(book);
    expect(tasks.map(({ outcome }) => outcome)).toEqual(["changed", "failed"]);
  });
});
