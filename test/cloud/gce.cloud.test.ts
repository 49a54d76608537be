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

const ends = ({ tasks }: RunHere): (string | undefined)[][] =>
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

describe("a provision killed after each call", () => {
  test("ends with exactly one of everything at the next run", async () => {
    let at = 0;
    for (let through = false; !through;) {
      at += 1;
      fake.wipe();
      const kill = new AbortController();
      fake.cut = (call) => {
        if (call !== at) return false;
        kill.abort(new Error("killed"));
        return true;
      };
      const first = await runHere(provision, { kill: kill.signal });
      through = fake.calls.length < at;
      expect(first.result.interrupted, `after call ${at}`).toBe(!through);
      fake.heal();
      const second = await runHere(provision);
      expect(
        ends(second).filter((end) => end[1] === "failed"),
        `after call ${at}`,
      ).toEqual([]);
      expect(fake.things(), `after call ${at}`).toEqual(one);
      const launches = fake.state.operations.filter(
        ({ operationType, targetLink }) => operationType === "insert" && targetLink.endsWith("/instances/lab"),
      );
      expect(launches.length, `launches, after call ${at}`).toBe(1);
    }
    covered(`Compute Engine: a provision killed after each of its ${at - 1} calls and run again`);
  });
});
