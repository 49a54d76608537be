import { describe, expect, test } from "vitest";
import { type Playbook, playbook } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { type GceFake, project, zone } from "./gce-fake/fake.ts";
import { eachWithGceFake } from "./gce-fake/here.ts";
import { type RunHere, runHere } from "./run-here.ts";

let fake: GceFake;
const kmsKey = `projects/${project}/locations/europe-west3/keyRings/lab/cryptoKeys/disks`;
const email = `web@${project}.iam.gserviceaccount.com`;
eachWithGceFake((made) => {
  fake = made;
  fake.settings.accounts.add(email);
  fake.settings.keys = { [kmsKey]: "ENABLED" };
});

const options = {
  hostname: "web-1.example.org",
  serviceAccount: { email },
  address: "none" as const,
  deletionProtection: true,
  bootDisk: { sizeGb: 20, kmsKey },
};
const book = (more: object = {}): Playbook =>
  playbook({
    name: "one",
    plays: [
      {
        hosts: "all",
        tasks: () => [
          t.gceNetwork({ name: "lab", project }),
          t.gceDisk({ name: "data", project, zone, sizeGb: 10, kmsKey }),
          t.gceInstance({
            name: "web",
            project,
            zone,
            machineType: "n2-standard-16",
            image: { project: "debian-cloud", family: "debian-12" },
            network: "lab",
            disks: ["data"],
            ...more,
          }),
        ],
      },
    ],
  });
const gone = (more: object = {}): Playbook =>
  playbook({
    name: "gone",
    plays: [{ hosts: "all", tasks: () => [t.gceInstance({ name: "web", project, zone, state: "absent", ...more })] }],
  });
const said = ({ tasks }: RunHere): string[] => tasks.map(({ outcome, error }) => error?.message ?? outcome);
const there = (collection: string, name: string): unknown =>
  fake.state.things.get(`projects/${project}/zones/${zone}/${collection}/${name}`);

describe("a machine on Compute Engine with options", () => {
  test("has its options after its creation, and needs no change in a second run", async () => {
    expect(said(await runHere(book(options), { mode: "check" }))).toEqual(["changed", "changed", "changed"]);
    expect(said(await runHere(book(options)))).toEqual(["changed", "changed", "changed"]);
    expect(there("instances", "web")).toMatchObject({
      hostname: "web-1.example.org",
      serviceAccounts: [{ email, scopes: ["https://www.googleapis.com/auth/cloud-platform"] }],
      deletionProtection: true,
      networkInterfaces: [{ accessConfigs: [] }],
    });
    for (const disk of ["web", "data"]) {
      expect(there("disks", disk)).toMatchObject({
        diskEncryptionKey: { kmsKeyName: `${kmsKey}/cryptoKeyVersions/1` },
      });
    }
    expect(said(await runHere(book(options)))).toEqual(["ok", "ok", "ok"]);
  });

  test("can later lose its external address and be protected, without being stopped", async () => {
    await runHere(book());
    const before = fake.changes.length;
    const later = book({ address: "none", deletionProtection: true });
    expect(said(await runHere(later, { mode: "check" }))).toEqual(["ok", "ok", "changed"]);
    expect(said(await runHere(later))).toEqual(["ok", "ok", "changed"]);
    expect(fake.changes.slice(before).map((call) => call.replace(/.*\//, ""))).toEqual([
      "setDeletionProtection",
      "deleteAccessConfig",
    ]);
    expect(said(await runHere(later))).toEqual(["ok", "ok", "ok"]);
  });

  test("gets another service account only while it is stopped", async () => {
    await runHere(book());
    for (const mode of ["check", "apply"] as const) {
      expect(said(await runHere(book({ serviceAccount: { email } }), { mode }))[2]).toMatch(/must be stopped/);
    }
    expect(said(await runHere(book({ serviceAccount: { email }, state: "stopped" })))).toEqual(["ok", "ok", "changed"]);
    expect(there("instances", "web")).toMatchObject({ status: "TERMINATED", serviceAccounts: [{ email }] });
    expect(said(await runHere(book({ serviceAccount: { email } })))).toEqual(["ok", "ok", "changed"]);
    expect(said(await runHere(book({ serviceAccount: { email } })))).toEqual(["ok", "ok", "ok"]);
  });

  test("is not deleted while it is protected, and check mode reports this", async () => {
    await runHere(book(options));
    for (const mode of ["check", "apply"] as const) {
      expect(said(await runHere(gone(), { mode }))).toEqual(["the instance web is protected against deletion"]);
    }
    expect(said(await runHere(gone({ deletionProtection: false }), { mode: "check" }))).toEqual(["changed"]);
    expect(said(await runHere(gone({ deletionProtection: false })))).toEqual(["changed"]);
    expect(there("instances", "web")).toBeUndefined();
  });
});
