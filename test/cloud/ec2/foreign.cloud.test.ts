import { describe, expect, test } from "vitest";
import { type Playbook, playbook, type TaskCall } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";
import { destroy, provision } from "../ec2-books.ts";
import { ec2FakeHere } from "../ec2-fake/here.ts";
import type { Thing, World } from "../ec2-fake/world.ts";
import { runHere } from "../run-here.ts";

const fake = await ec2FakeHere();

const region = "eu-test-1";
const place = { region };
const gone = { region, state: "absent" } as const;
const machine = { ...place, type: "m8i.4xlarge", image: { id: "ami-new" } } as const;
const book = (...calls: readonly TaskCall[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => calls }] });

/** The result of the failed task, or else of the last task, and the changes that the run made. */
async function told(of: Playbook, mode: "check" | "apply" = "apply") {
  const before = fake.calls.length;
  const { tasks } = await runHere(of, { mode });
  const { outcome, error, steps = [] } = tasks.find((one) => one.outcome === "failed") ?? tasks.at(-1) ?? {};
  const { what, current, expected, hint } = error?.failure ?? {};
  const changes = fake.calls.slice(before).filter(({ mutating }) => mutating);
  return { outcome, said: [what, current, expected, hint].filter(Boolean).join(" | "), steps, changes };
}

/** Replaces a resource with somebody else's resource of the same name. Returns the id of the new resource. */
function replace(world: World, id: string): string {
  const lists: Thing[][] = [
    world.instances,
    world.volumes,
    world.groups,
    world.keyPairs,
    world.addresses,
    world.vpcs,
    world.subnets,
    world.gateways,
  ];
  for (const list of lists) {
    const at = list.findIndex((thing) => thing.id === id);
    const old = list[at];
    if (old === undefined) continue;
    const other = world.id(id.split("-")[0] ?? "");
    const tags = new Map([
      ["Name", old.tags.get("Name") ?? ""],
      ["owner", "billing-db"],
    ]);
    list[at] = { ...old, id: other, tags };
    return other;
  }
  throw new Error(`there is no ${id}`);
}

describe("a name that belongs to another resource by the time a run acts", () => {
  const web = { ...place, name: "web" };
  const lab = t.ec2Vpc({ ...web, cidr: "10.20.0.0/16" });
  const subnet = t.ec2Subnet({ ...web, vpc: "web", cidr: "10.20.0.0/20" });
  const gateway = t.ec2InternetGateway({ ...web, vpc: "web" });
  const publicKey = `ssh-ed25519 ${"B".repeat(68)}`;
  const instance = t.ec2Instance({ ...machine, name: "web", hostKeys: false });
  const volume = { ...web, sizeGb: 10 };
  const loose = t.ec2Volume({ ...volume, zone: `${region}a` });
  const attached = t.ec2Volume({ ...volume, instance: "web", device: "/dev/sdf" });
  const address = t.ec2Address(web);
  const reached = t.ec2Address({ ...web, instance: "web" });

  test.each<readonly [action: string, kind: string, before: readonly TaskCall[], call: TaskCall]>([
    ["DeleteVolume", "vol", [loose], t.ec2Volume({ ...gone, name: "web" })],
    ["AttachVolume", "vol", [instance, loose], attached],
    ["AttachVolume", "i", [instance, loose], attached],
    ["DetachVolume", "vol", [instance, attached], loose],
    ["TerminateInstances", "i", [instance], t.ec2Instance({ ...gone, name: "web" })],
    ["StopInstances", "i", [instance], t.ec2Instance({ ...machine, name: "web", state: "stopped" })],
    [
      "ModifyInstanceAttribute",
      "i",
      [instance],
      t.ec2Instance({ ...machine, name: "web", terminationProtection: true }),
    ],
    ["ReleaseAddress", "eipalloc", [address], t.ec2Address({ ...gone, name: "web" })],
    ["AssociateAddress", "eipalloc", [instance, address], reached],
    ["AssociateAddress", "i", [instance, address], reached],
    ["DisassociateAddress", "eipalloc", [instance, reached], address],
    ["DeleteKeyPair", "key", [t.ec2KeyPair({ ...web, publicKey })], t.ec2KeyPair({ ...gone, name: "web" })],
    ["DeleteSecurityGroup", "sg", [t.ec2SecurityGroup(web)], t.ec2SecurityGroup({ ...gone, name: "web" })],
    [
      "AuthorizeSecurityGroupIngress",
      "sg",
      [t.ec2SecurityGroup(web)],
      t.ec2SecurityGroup({ ...web, rules: [{ port: 22, from: ["192.0.2.7/32"] }] }),
    ],
    ["DeleteVpc", "vpc", [lab], t.ec2Vpc({ ...gone, name: "web" })],
    ["DeleteSubnet", "subnet", [lab, subnet], t.ec2Subnet({ ...gone, name: "web" })],
    ["DeleteInternetGateway", "igw", [lab, gateway], t.ec2InternetGateway({ ...gone, name: "web" })],
  ])("is left alone by %s (%s)", async (action, kind, before, call) => {
    for (const tagged of [false, true]) {
      fake.reset();
      const made = await runHere(book(...before));
      expect(made.tasks.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
      const world = fake.world(region);
      let other = "";
      fake.keep({
        // The dry run is the last request that furrow sends before the real call.
        judge: (asked) => {
          if (asked.action !== action || asked.params["DryRun"] !== "true" || other !== "") return undefined;
          const all = [...world.instances, ...world.volumes, ...world.groups, ...world.keyPairs, ...world.addresses];
          const things: Thing[] = [...all, ...world.vpcs, ...world.subnets, ...world.gateways];
          const ours = things.find(({ id, tags }) => id.startsWith(`${kind}-`) && tags.get("Name") === "web");
          other = replace(world, ours?.id ?? "");
          if (tagged) world.thing(other)?.tags.set("furrow", "1");
          return undefined;
        },
      });
      const { outcome, said, changes } = await told(book(call));
      expect(outcome).toBe("failed");
      expect(said).toMatch(/is not the one that this task looked at \| .*Rerun: something else changed the resource/);
      expect(JSON.stringify(changes)).not.toContain(other);
      expect(world.thing(other)).toBeDefined();
    }
  });

  test("is left alone if the resource still has the same id, but no longer furrow's tag", async () => {
    await runHere(book(loose));
    const world = fake.world(region);
    fake.keep({
      judge: ({ action }) => {
        if (action === "DeleteVolume") world.volumes[0]?.tags.delete("furrow");
        return undefined;
      },
    });
    const { said, changes } = await told(book(t.ec2Volume({ ...gone, name: "web" })));
    expect(said).toMatch(/vol-\w+, which does not have the tag furrow/);
    expect(changes).toEqual([]);
  });
});

describe("a list that EC2 splits into pages", () => {
  test("is read to its end, even if a page is empty", async () => {
    fake.reset({ pageSize: 1, emptyFirstPage: true });
    expect((await runHere(provision)).tasks.map(({ outcome }) => outcome)).toEqual(Array(5).fill("changed"));
    expect((await runHere(provision)).tasks.map(({ outcome }) => outcome)).toEqual(Array(5).fill("ok"));
    expect((await runHere(destroy)).tasks.map(({ outcome }) => outcome)).toEqual(Array(5).fill("changed"));
    expect(fake.world(region)).toMatchObject({ volumes: [], addresses: [], groups: [], keyPairs: [] });
  });

  test("shows a second resource of the same name on its second page", async () => {
    fake.reset({ pageSize: 1 });
    await runHere(book(t.ec2Volume({ ...place, name: "data", sizeGb: 10, zone: `${region}a` })));
    const world = fake.world(region);
    const [one] = world.volumes;
    if (one !== undefined) world.volumes.push({ ...one, id: world.id("vol"), tags: new Map([["Name", "data"]]) });
    const { said, changes } = await told(book(t.ec2Volume({ ...gone, name: "data" })));
    expect(said).toMatch(/EC2 has 2 resources called volume data/);
    expect(changes).toEqual([]);
  });
});

describe("a machine that is terminated", () => {
  const removal = book(t.ec2Instance({ ...gone, name: "web" }));

  /** Attaches someone else's disk to the machine; EC2 would delete the disk with the machine. */
  function attachForeign(world: World): void {
    const [root] = world.volumes;
    const { id: instance } = world.instances[0] ?? {};
    if (root === undefined || instance === undefined) throw new Error("there is no machine");
    const tags = new Map([["Name", "payroll"]]);
    const id = world.id("vol");
    world.volumes.push({ ...root, id, tags, instance, device: "/dev/sdp", deleteOnTermination: true });
  }

  test("leaves a disk that someone else has attached", async () => {
    await runHere(provision);
    const world = fake.world(region);
    attachForeign(world);
    expect((await told(removal, "check")).outcome).toBe("changed");
    const { outcome, steps } = await told(removal);
    const keeps = expect.stringMatching(/^keep \/dev\/sdp \(vol-\w+\) when web is terminated$/) as string;
    expect([outcome, steps]).toEqual(["changed", [keeps, "terminate web"]]);
    expect(new Set(world.volumes.map(({ tags }) => tags.get("Name")))).toEqual(new Set(["payroll", "web-data"]));
  });

  test("is not terminated if a disk was attached after the plan was made", async () => {
    await runHere(provision);
    const world = fake.world(region);
    fake.keep({
      judge: ({ action }) => {
        if (action === "TerminateInstances" && world.volumes.length === 2) attachForeign(world);
        return undefined;
      },
    });
    const { said, changes } = await told(removal);
    expect(said).toMatch(/^web has disks that this task did not see.* \| vol-\w+ \| Rerun/);
    expect(changes).toEqual([]);
    fake.keep({});
    expect((await told(removal)).outcome).toBe("changed");
    expect(new Set(world.volumes.map(({ tags }) => tags.get("Name")))).toEqual(new Set(["payroll", "web-data"]));
  });
});
