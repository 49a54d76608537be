import { describe, expect, test } from "vitest";
import type { Playbook, TaskCall } from "../../src/authoring.ts";
import { isFurrowError } from "../../src/core/errors.ts";
import type { Mode } from "../../src/core/events.ts";
import * as t from "../../tasks/index.ts";
import { covered } from "../covered.ts";
import {
  account,
  askedObstacles,
  auto,
  base,
  book,
  custom,
  disk,
  first,
  key,
  launching,
  machine,
  type Obstacle,
  region,
  subnet,
} from "./gce-fake/obstacles.ts";
import { type GceFake, project, zone } from "./gce-fake/fake.ts";
import { eachWithGceFake } from "./gce-fake/here.ts";
import { runHere } from "./run-here.ts";

let fake: GceFake;
eachWithGceFake((made) => {
  fake = made;
});

const obstacles: readonly Obstacle[] = [
  ...askedObstacles,
  { title: "a wrong zone", book: () => launching({ zone: "europe-west9-a" }), says: /Unknown zone/ },
  {
    title: "a wrong region",
    book: () => book(base, first, custom, subnet({ region: "europe-west9" })),
    says: /Unknown region/,
  },
  { title: "a missing network", book: () => book(base, first, machine()), says: /there is no network lab/ },
  {
    title: "a subnetwork in a missing network",
    book: () => book(base, first, subnet()),
    says: /there is no network lab/,
  },
  {
    title: "a missing subnetwork",
    book: () => book(base, first, custom, machine({ subnetwork: "lab" })),
    says: /there is no subnetwork lab in europe-west3/,
  },
  {
    title: "a custom network without a subnetwork in the region",
    book: () => book(base, first, custom, subnet({ region: "us-central1" }), machine()),
    says: /the network lab has no subnetwork in europe-west3/,
  },
  {
    title: "a custom network whose subnetwork is not named",
    book: () => book(base, first, custom, subnet(), machine()),
    says: /Google does not choose one of them/,
  },
  {
    title: "a subnetwork of another network",
    book: () => book(base, first, auto, custom2(), machine({ subnetwork: "own" })),
    says: /the subnetwork own is in the network base, not in lab/,
  },
  {
    title: "a range that overlaps an existing subnetwork",
    book: () => book(base, first, subnet({ name: "more", cidr: "10.20.8.0/24" })),
    before: () => runHere(book(custom, subnet({ region: "us-central1" }))),
    says: /overlaps 10\.20\.0\.0\/20, which belongs to the subnetwork us-central1\/lab/,
  },
  {
    title: "two overlapping ranges in one plan",
    book: () => book(base, first, custom, subnet(), subnet({ name: "more", cidr: "10.20.0.0/16" })),
    says: /overlaps 10\.20\.0\.0\/20, which belongs to the subnetwork europe-west3\/lab/,
  },
  {
    title: "a range that Google reserves for automatic subnetworks",
    book: () => book(base, first, auto, subnet({ name: "more", cidr: "10.200.0.0/20" })),
    says: /overlaps 10\.128\.0\.0\/9/,
  },
  {
    title: "a range that is not canonical",
    book: () => book(base, subnet({ cidr: "10.20.0.1/20" })),
    says: /param "cidr"/,
  },
  {
    title: "a range that Google prohibits",
    book: () => book(base, subnet({ cidr: "169.254.0.0/24" })),
    says: /param "cidr"/,
  },
  {
    title: "a service account that does not exist",
    book: () => launching({ serviceAccount: { email: account } }),
    says: /there is no service account web@project-1/,
  },
  {
    title: "a service account that the credentials may not use",
    book: () => launching({ serviceAccount: { email: account } }),
    set: (settings) => [settings.accounts.add(account), settings.denied.add("iam.serviceAccounts.actAs")],
    says: /do not permit iam\.serviceAccounts\.actAs on web@project-1/,
  },
  {
    title: "a key that does not exist",
    book: () => launching({ bootDisk: { sizeGb: 20, kmsKey: key(region) } }),
    says: /there is no key projects\/project-1\/locations\/europe-west3/,
  },
  {
    title: "a key that is disabled",
    book: () => book(base, first, disk({ kmsKey: key("global") })),
    set: (settings) => {
      settings.keys = { [key("global")]: "DISABLED" };
    },
    says: /is not enabled \| DISABLED/,
  },
  {
    title: "a key in another region",
    book: () => book(base, disk({ kmsKey: key("us-east1") })),
    says: /param "kmsKey"/,
  },
  {
    title: "a disk type that the zone does not offer",
    book: () => book(base, first, disk({ type: "hyperdisk-extreme" })),
    says: /the zone europe-west3-a does not offer the disk type hyperdisk-extreme/,
  },
  {
    title: "a boot disk of a type that the zone does not offer",
    book: () => launching({ bootDisk: { sizeGb: 20, type: "pd-extreme" } }),
    says: /does not offer the disk type pd-extreme/,
  },
  {
    title: "a disk that is too small for its type",
    book: () => book(base, first, disk({ sizeGb: 2 })),
    says: /cannot have a size of 2 GB/,
  },
  {
    title: "a machine type that the zone does not offer",
    book: () => launching({ machineType: "c3-standard-22" }),
    says: /there is no machine type c3-standard-22/,
  },
  {
    title: "a protected machine",
    book: () => book(base, first, t.gceInstance({ name: "web", project, zone, state: "absent" })),
    before: () => runHere(book(auto, machine({ deletionProtection: true }))),
    says: /web is protected against deletion/,
  },
];

function custom2(): TaskCall {
  return t.gceSubnetwork({ name: "own", project, region, network: "base", cidr: "10.30.0.0/20" });
}

/** The errors of all tasks, or the error of a playbook that cannot be loaded. */
async function said(make: () => Playbook, mode: Mode): Promise<string[]> {
  try {
    const { tasks } = await runHere(make(), { mode });
    return tasks.flatMap(({ error }) => (error === undefined ? [] : [`${error.message} | ${error.failure.current}`]));
  } catch (error) {
    if (isFurrowError(error)) return [error.message];
    throw error;
  }
}

describe("check mode finds what Google would refuse, and a run finds it before its first change", () => {
  test.each(obstacles)("$title", async ({ book: make, before, set, says }) => {
    await before?.();
    set?.(fake.settings);
    const from = fake.changes.length;
    for (const mode of ["check", "apply"] as const) {
      const errors = await said(make, mode);
      expect([mode, errors]).toEqual([mode, [expect.stringMatching(says)]]);
      expect(fake.changes.slice(from)).toEqual([]);
    }
  });

  test("the list covers every kind of obstacle", () => {
    expect(obstacles.length).toBeGreaterThanOrEqual(40);
    covered(
      `Compute Engine: ${obstacles.length} obstacles, all found by check mode and before the first change of a run`,
    );
  });
});
