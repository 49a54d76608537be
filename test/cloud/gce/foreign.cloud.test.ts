import { describe, expect, test } from "vitest";
import { type Node, type Playbook, playbook } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";
import { provision, provisionNetwork } from "../gce-books.ts";
import { type GceFake, project, zone } from "../gce-fake/fake.ts";
import { eachWithGceFake } from "../gce-fake/here.ts";
import { runHere } from "../run-here.ts";

let fake: GceFake;
eachWithGceFake((made) => {
  fake = made;
});

const place = { project, zone };
const region = "europe-west3";
const gone = { project, state: "absent" } as const;
const book = (...tasks: readonly Node[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks }] });

/** Runs a playbook; changes a resource right after the task has read it. Returns the error and the changes. */
async function meanwhile(path: string, act: () => void, of: Playbook) {
  let isRead = false;
  fake.answered = (call) => {
    if (isRead || call !== `GET ${path}`) return;
    isRead = true;
    act();
  };
  const before = fake.changes.length;
  const { tasks } = await runHere(of);
  expect(isRead).toBe(true);
  const { what, current } = tasks.find(({ error }) => error !== undefined)?.error?.failure ?? {};
  return { what, current, changes: fake.changes.slice(before) };
}

const machine = `projects/${project}/zones/${zone}/instances/lab`;
const network = { name: "lab" };

describe("a name that belongs to another resource by the time a run deletes it", () => {
  test.each([
    [machine, t.gceInstance({ name: "lab", zone, ...gone })],
    [`projects/${project}/zones/${zone}/disks/lab-data`, t.gceDisk({ name: "lab-data", zone, ...gone })],
    [`projects/${project}/regions/${region}/addresses/lab`, t.gceAddress({ name: "lab", region, ...gone })],
    [`projects/${project}/global/firewalls/lab-ssh`, t.gceFirewall({ name: "lab-ssh", ...gone })],
    [`projects/${project}/global/networks/lab`, t.gceNetwork({ ...network, ...gone })],
  ])("is left alone: %s", async (path, call) => {
    await runHere(provision);
    // Only the machine uses the other resources, so it is removed before one of them is replaced.
    if (path !== machine) fake.state.things.delete(machine);
    for (const thing of fake.state.things.values()) thing["users"] = [];
    const thing = fake.state.get(path);
    const number = String(thing["id"]);
    const replaced = await meanwhile(path, () => (thing["id"] = "17"), book(call));
    expect(replaced.what).toContain("is not the one that this task looked at");
    expect(replaced.current).toContain("id 17");
    expect(replaced.changes).toEqual([]);
    thing["id"] = number;
    const described = await meanwhile(path, () => (thing["description"] = "billing"), book(call));
    expect(described.what).toContain('its description is "billing"');
    expect(described.changes).toEqual([]);
    expect(fake.state.things.has(path)).toBe(true);
  });

  test("is left alone: a subnetwork", async () => {
    await runHere(provisionNetwork);
    const path = `projects/${project}/regions/${region}/subnetworks/lab`;
    fake.state.things.delete(machine);
    const call = t.gceSubnetwork({ ...network, region, ...gone });
    const { what } = await meanwhile(path, () => (fake.state.get(path)["id"] = "17"), book(call));
    expect(what).toBe("subnetwork lab in europe-west3 is not the one that this task looked at");
    expect(fake.state.things.has(path)).toBe(true);
  });

  test("is not stopped either", async () => {
    await runHere(provision);
    const stopped = t.gceInstance({
      name: "lab",
      ...place,
      machineType: "n2-standard-16",
      image: { project: "suse-cloud", family: "sles-15" },
      network: "lab",
      nested: true,
      disks: ["lab-data"],
      state: "stopped",
    });
    const { changes } = await meanwhile(machine, () => (fake.state.get(machine)["id"] = "17"), book(stopped));
    expect(changes).toEqual([]);
  });
});

test("a disk that someone attaches during a run is not deleted with its machine", async () => {
  await runHere(provision);
  const other = `projects/${project}/zones/${zone}/disks/billing`;
  fake.state.put(other, { name: "billing", sizeGb: "10", type: "pd-ssd", status: "READY" });
  const attach = (): void => {
    const instance = fake.state.get(machine);
    const disk = { deviceName: "billing", source: other, boot: false, autoDelete: true };
    instance["disks"] = [...(instance["disks"] as object[]), disk];
  };
  const { what, current } = await meanwhile(machine, attach, book(t.gceInstance({ name: "lab", zone, ...gone })));
  expect(what).toBe(`instance lab in ${zone} has disks that this task did not see, which would be deleted with it`);
  expect(current).toBe("billing");
  expect([fake.state.things.has(machine), fake.state.things.has(other)]).toEqual([true, true]);
});
