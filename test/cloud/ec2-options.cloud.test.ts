import { describe, expect, test } from "vitest";
import { type Playbook, playbook } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { ec2FakeHere } from "./ec2-fake/here.ts";
import { type RunHere, runHere } from "./run-here.ts";

const fake = await ec2FakeHere();
const region = "eu-test-1";
const options = {
  hostname: "web-1.example.org",
  iamInstanceProfile: "web",
  publicAddress: false,
  terminationProtection: true,
  metadataHopLimit: 2,
  rootDisk: { sizeGb: 20, kmsKey: "alias/disks" },
};
const book = (more: object): Playbook =>
  playbook({
    name: "one",
    plays: [
      {
        hosts: "all",
        tasks: () => [
          t.ec2Instance({ name: "web", region, type: "m8i.4xlarge", image: { id: "ami-new" }, ...more }),
          t.ec2Volume({ name: "data", region, sizeGb: 10, kmsKey: "alias/disks", instance: "web", device: "/dev/sdf" }),
        ],
      },
    ],
  });
const gone = (more: object = {}): Playbook =>
  playbook({
    name: "gone",
    plays: [{ hosts: "all", tasks: () => [t.ec2Instance({ name: "web", region, state: "absent", ...more })] }],
  });
const said = ({ tasks }: RunHere): string[] => tasks.map(({ outcome, error }) => error?.message ?? outcome);

describe("a machine on EC2 with options", () => {
  test("has its options after the launch, and needs no change in a second run", async () => {
    expect(said(await runHere(book(options), { mode: "check" }))).toEqual(["changed", "changed"]);
    const run = await runHere(book(options));
    expect(said(run)).toEqual(["changed", "changed"]);
    const { instances, volumes } = fake.world();
    expect(instances[0]).toMatchObject({ profile: "web", isProtected: true, hopLimit: 2, address: "" });
    expect(Buffer.from(instances[0]?.userData ?? "", "base64").toString()).toBe(
      "#cloud-config\npreserve_hostname: false\nhostname: web-1\nfqdn: web-1.example.org\n",
    );
    expect(volumes.map(({ key, encrypted }) => [key, encrypted])).toEqual([
      ["alias/disks", true],
      ["alias/disks", true],
    ]);
    expect(said(await runHere(book(options)))).toEqual(["ok", "ok"]);
  });

  test("gets the options that EC2 can change later, without being stopped", async () => {
    await runHere(book({ iamInstanceProfile: "old" }));
    const before = fake.calls.length;
    expect(said(await runHere(book({ ...options, hostname: undefined, rootDisk: undefined })))).toEqual([
      "changed",
      "ok",
    ]);
    expect(fake.world().instances[0]).toMatchObject({
      profile: "web",
      isProtected: true,
      hopLimit: 2,
      state: "running",
    });
    expect(fake.calls.slice(before).map(({ action }) => action)).not.toContain("StopInstances");
  });

  test("is not terminated while it is protected, and check mode reports this", async () => {
    await runHere(book(options));
    for (const mode of ["check", "apply"] as const) {
      expect(said(await runHere(gone(), { mode }))).toEqual(["web is protected against termination"]);
    }
    expect(said(await runHere(gone({ terminationProtection: false }), { mode: "check" }))).toEqual(["changed"]);
    expect(said(await runHere(gone({ terminationProtection: false })))).toEqual(["changed"]);
    expect(fake.world().instances.map(({ state }) => state)).toEqual(["terminated"]);
  });
});
