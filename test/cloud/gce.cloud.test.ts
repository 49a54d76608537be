import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { covered } from "../covered.ts";
import { destroy, provision } from "./gce-books.ts";
import { GceFake } from "./gce-fake/fake.ts";
import { type RunHere, runHere } from "./run-here.ts";

let fake: GceFake;
beforeEach(async () => {
  fake = new GceFake();
  for (const [name, value] of Object.entries(await fake.start())) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await fake.stop();
});

const ends = ({ tasks }: RunHere): unknown[] =>
  tasks.map(({ title, outcome, error }) =>
    [title, outcome, error?.failure.what, error?.failure.current].filter(Boolean),
  );
const outcomes = ({ tasks }: RunHere): unknown[] => tasks.map(({ outcome }) => outcome);

const one = {
  networks: ["lab"],
  firewalls: ["lab-ssh"],
  addresses: ["lab"],
  disks: ["lab-data", "lab"],
  instances: ["lab"],
};
const changed = ["changed", "changed", "changed", "changed", "changed"];
const ok = ["ok", "ok", "ok", "ok", "ok"];

describe("a machine of Compute Engine", () => {
  test("is made, is right when asked again, and goes", async () => {
    const first = await runHere(provision);
    expect(ends(first)).toEqual([
      ["gceNetwork lab", "changed"],
      ["gceFirewall lab-ssh", "changed"],
      ["gceAddress lab", "changed"],
      ["gceDisk lab-data", "changed"],
      ["gceInstance lab", "changed"],
    ]);
    expect(fake.things()).toEqual(one);
    const calls = fake.calls.length;
    const second = await runHere(provision);
    expect(outcomes(second)).toEqual(ok);
    expect(fake.changes.filter((_call, at) => at >= 5)).toEqual([]);
    expect(ends(await runHere(destroy))).toEqual([
      ["gceInstance lab", "changed"],
      ["gceDisk lab-data", "changed"],
      ["gceAddress lab", "changed"],
      ["gceFirewall lab-ssh", "changed"],
      ["gceNetwork lab", "changed"],
    ]);
    expect(fake.things()).toEqual({});
    // Request ids of what has gone are remembered: made again it must have other ones.
    expect(outcomes(await runHere(provision))).toEqual(changed);
    expect(fake.things()).toEqual(one);
    covered(`Compute Engine: a provision makes ${calls} calls`);
  });
});
