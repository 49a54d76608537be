import { describe, expect, test } from "vitest";
import { type Playbook, playbook, type TaskCall } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";
import { destroy, provision } from "../ec2-books.ts";
import { ec2FakeHere } from "../ec2-fake/here.ts";
import type { World } from "../ec2-fake/world.ts";
import { runHere } from "../run-here.ts";

const fake = await ec2FakeHere();

const region = "eu-test-1";
const place = { region };
const gone = { region, state: "absent" } as const;
const machine = { ...place, type: "m8i.4xlarge", image: { id: "ami-new" } } as const;
const book = (...calls: readonly TaskCall[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => calls }] });

/** What a run or check reports about its failed task, or else its last task, and the changes that it made. */
async function told(of: Playbook, mode: "check" | "apply" = "apply") {
  const before = fake.calls.length;
  const { tasks } = await runHere(of, { mode });
  const { outcome, error } = tasks.find((one) => one.outcome === "failed") ?? tasks.at(-1) ?? {};
  const { what, current, expected, hint } = error?.failure ?? {};
  const changes = fake.calls.slice(before).filter(({ mutating }) => mutating);
  return { outcome, said: [what, current, expected, hint].filter(Boolean).join(" | "), changes };
}

describe("a volume or an address in use", () => {
  /** Attaches furrow's own volume and address to a machine that somebody else has launched. */
  async function onBilling(): Promise<World> {
    await runHere(
      book(
        t.ec2Instance({ ...machine, name: "billing", hostKeys: false }),
        t.ec2Volume({ ...place, name: "data", sizeGb: 10, instance: "billing", device: "/dev/sdf" }),
        t.ec2Address({ ...place, name: "front", instance: "billing" }),
      ),
    );
    const world = fake.world(region);
    world.instances[0]?.tags.delete("furrow");
    return world;
  }
  const stays = (world: World): void => {
    expect(world.volumes.map(({ instance, tags }) => [tags.get("Name"), instance])).toContainEqual([
      "data",
      world.instances[0]?.id,
    ]);
    expect(world.addresses).toMatchObject([{ instance: world.instances[0]?.id }]);
  };

  test.each([
    ["a volume is deleted", t.ec2Volume({ ...gone, name: "data" })],
    [
      "a volume must be free",
      t.ec2Volume({ ...place, name: "data", sizeGb: 10, zone: `${region}a`, state: "present" }),
    ],
    ["an address is released", t.ec2Address({ ...gone, name: "front" })],
    ["an address must be free", t.ec2Address({ ...place, name: "front" })],
  ])("stays with someone else's machine when %s", async (_what, call) => {
    const world = await onBilling();
    for (const mode of ["check", "apply"] as const) {
      const { outcome, said, changes } = await told(book(call), mode);
      expect([outcome, changes]).toEqual(["failed", []]);
      expect(said).toMatch(
        /is in use by the machine billing \(i-\w+\), which furrow did not launch .*Remove the machine/,
      );
    }
    stays(world);
  });

  test("is not moved from someone else's machine to one of furrow's", async () => {
    const world = await onBilling();
    const { said, changes } = await told(
      book(
        t.ec2Instance({ ...machine, name: "web", hostKeys: false }),
        t.ec2Address({ ...place, name: "front", instance: "web" }),
      ),
    );
    expect(said).toMatch(/is in use by the machine billing/);
    expect(changes.map(({ action }) => action)).toEqual(["RunInstances"]);
    stays(world);
  });

  test("stays with a machine that has no name; an address also stays with a NAT gateway", async () => {
    const world = await onBilling();
    world.instances[0]?.tags.clear();
    expect(await told(book(t.ec2Volume({ ...gone, name: "data" })))).toMatchObject({
      outcome: "failed",
      said: expect.stringMatching(/in use by the machine \(i-\w+\), which furrow/) as string,
    });
    for (const address of world.addresses) address.instance = undefined;
    for (const call of [t.ec2Address({ ...gone, name: "front" }), t.ec2Address({ ...place, name: "front" })]) {
      expect(await told(book(call))).toMatchObject({
        outcome: "failed",
        said: expect.stringMatching(/something other than a machine, such as a NAT gateway/) as string,
        changes: [],
      });
    }
  });

  test("is removed if the same run also removes furrow's machine that uses it, as check mode predicts", async () => {
    await runHere(provision);
    const check = await runHere(destroy, { mode: "check" });
    const run = await runHere(destroy);
    expect(run.tasks.map(({ outcome }) => outcome)).toEqual(run.tasks.map(() => "changed"));
    expect(check.tasks.map(({ outcome }) => outcome)).toEqual(run.tasks.map(({ outcome }) => outcome));
    expect(run.tasks.slice(0, 3).map(({ steps }) => steps)).toEqual([
      ["terminate web"],
      ["release web"],
      ["delete web-data"],
    ]);
    expect(fake.world(region)).toMatchObject({ volumes: [], addresses: [] });
  });
});
