import { describe, expect, test } from "vitest";
import { playbook, type TaskCall } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { ec2FakeHere } from "./ec2-fake/here.ts";
import { runHere } from "./run-here.ts";

const fake = await ec2FakeHere();

const region = "eu-drift-1";
const base = {
  name: "web",
  region,
  type: "m8i.4xlarge",
  image: { id: "ami-new" },
  rootDisk: { sizeGb: 40 },
  disks: [{ device: "/dev/sdb", sizeGb: 100, keep: true }],
  nestedVirtualization: true,
} as const;

/** Checks, runs, and checks again. Returns the last task's outcome and its steps. */
async function bring(...calls: readonly TaskCall[]): Promise<readonly [string, readonly string[]]> {
  const book = playbook({ name: "some", plays: [{ hosts: "all", tasks: () => calls }] });
  const check = await runHere(book, { mode: "check" });
  const run = await runHere(book);
  const [last, foreseen] = [run.tasks.at(-1), check.tasks.at(-1)];
  expect([last?.outcome, last?.error?.message]).toEqual([foreseen?.outcome, foreseen?.error?.message]);
  const again = await runHere(book);
  const right = last?.error === undefined ? calls.map(() => "ok") : again.tasks.map(({ outcome }) => outcome);
  expect(again.tasks.map(({ outcome }) => outcome)).toEqual(right);
  return [last?.error?.failure.details?.[0] ?? last?.outcome ?? "", last?.steps ?? []];
}

describe("a machine that has drifted", () => {
  test("is changed in place if possible", async () => {
    await bring(t.ec2Instance(base));
    const world = fake.world(region);
    const [machine] = world.instances;
    const id = machine?.id;
    expect(await bring(t.ec2Instance({ ...base, tags: { team: "a" }, rootDisk: { sizeGb: 80, iops: 6000 } }))).toEqual([
      "changed",
      ["disk /dev/sda1: sizeGb 80, iops 6000", "tag web"],
    ]);
    const grown = { ...base, rootDisk: { sizeGb: 80 } };
    expect(
      await bring(t.ec2SecurityGroup({ name: "in", region }), t.ec2Instance({ ...grown, securityGroups: ["in"] })),
    ).toEqual(["changed", ["change the security groups of web"]]);
    expect(await bring(t.ec2Instance({ ...grown, type: "m8i.8xlarge" }))).toEqual(["refused: needs-stop", []]);
    expect(
      await bring(t.ec2Instance({ ...grown, type: "t3.micro", nestedVirtualization: false, mayStop: true })),
    ).toEqual(["changed", ["stop web", "change the type and the nested virtualization of web", "start web"]]);
    expect(await bring(t.ec2Instance({ ...grown, type: "m5.large", mayStop: true }))).toEqual([
      "refused: cannot-nest",
      [],
    ]);
    const small = { ...grown, type: "t3.micro", nestedVirtualization: false };
    expect(await bring(t.ec2Instance({ ...small, state: "stopped" }))).toEqual(["changed", ["stop web"]]);
    expect(await bring(t.ec2Instance(small))).toEqual(["changed", ["start web"]]);
    expect(machine).toMatchObject({ id, state: "running", type: "t3.micro", nested: false });
    expect(world.instances).toHaveLength(1);
  });

  test("is refused without changes if furrow would have to replace the machine", async () => {
    await bring(t.ec2Instance(base));
    const before = fake.calls.length;
    expect(await bring(t.ec2Instance({ ...base, image: { id: "ami-old" } }))).toEqual([
      "refused: needs-new-machine",
      [],
    ]);
    expect(await bring(t.ec2Instance({ ...base, rootDisk: { sizeGb: 20 } }))).toEqual([
      "refused: needs-new-machine",
      [],
    ]);
    expect(await bring(t.ec2Instance({ ...base, spot: true }))).toEqual(["refused: needs-new-machine", []]);
    expect(fake.calls.slice(before).filter(({ mutating }) => mutating)).toEqual([]);
  });

  test("keeps a disk that must outlive the machine", async () => {
    await bring(t.ec2Instance(base));
    await bring(t.ec2Instance({ name: "web", region, state: "absent" }));
    expect(fake.world(region).volumes).toMatchObject([{ size: 100, state: "available" }]);
  });

  test("has a volume and an address that can be changed, moved and removed separately", async () => {
    const machine = t.ec2Instance(base);
    const volume = { name: "data", region, instance: "web", device: "/dev/sdf" };
    await bring(
      machine,
      t.ec2Volume({ ...volume, sizeGb: 10 }),
      t.ec2Address({ name: "front", region, instance: "web" }),
    );
    expect(await bring(t.ec2Volume({ ...volume, sizeGb: 20, throughput: 250 }))).toEqual([
      "changed",
      ["data: sizeGb 20, throughput 250"],
    ]);
    expect(await bring(t.ec2Volume({ ...volume, sizeGb: 10 }))).toEqual(["refused: cannot-shrink", []]);
    expect(await bring(t.ec2Volume({ ...volume, device: "/dev/sdg", sizeGb: 20 }))).toEqual([
      "changed",
      ["detach data", "attach data to web"],
    ]);
    expect(await bring(t.ec2Volume({ name: "data", region, zone: `${region}a`, sizeGb: 20 }))).toEqual([
      "changed",
      ["detach data"],
    ]);
    expect(await bring(t.ec2Address({ name: "front", region }))).toEqual(["changed", ["free front"]]);
    expect(await bring(t.ec2Volume({ name: "data", region, state: "absent" }))).toEqual(["changed", ["delete data"]]);
    expect(await bring(t.ec2Address({ name: "front", region, state: "absent" }))).toEqual([
      "changed",
      ["release front"],
    ]);
  });
});
