import { describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { destroy, provision } from "./ec2-books.ts";
import type { Call } from "./ec2-fake/fake.ts";
import { ec2FakeHere } from "./ec2-fake/here.ts";
import { ApiError } from "./ec2-fake/wire.ts";
import type { World } from "./ec2-fake/world.ts";
import { type RunHere, runHere } from "./run-here.ts";

const fake = await ec2FakeHere();

/** Counts the existing resources. */
function counted(world: World): Record<string, number> {
  return {
    keyPairs: world.keyPairs.length,
    groups: world.groups.length,
    instances: world.instances.filter(({ state }) => state !== "terminated").length,
    volumes: world.volumes.length,
    addresses: world.addresses.length,
  };
}

const oneOfEach = { keyPairs: 1, groups: 1, instances: 1, volumes: 2, addresses: 1 };
const nothing = { keyPairs: 0, groups: 0, instances: 0, volumes: 0, addresses: 0 };

function outcomes({ tasks }: RunHere): string[] {
  return tasks.map(
    ({ title, outcome, error }) => `${title}: ${outcome}${error === undefined ? "" : ` ${error.message}`}`,
  );
}

const all = (outcome: string): string[] =>
  ["ec2KeyPair web", "ec2SecurityGroup web", "ec2Instance web", "ec2Volume web-data", "ec2Address web"].map(
    (title) => `${title}: ${outcome}`,
  );

const mutating = (calls: readonly Call[]): string[] =>
  calls.filter((call) => call.mutating).map(({ action }) => action);

describe("a machine on EC2", () => {
  test("is created, needs no change in a second run, is removed, and is created again", async () => {
    expect(outcomes(await runHere(provision))).toEqual(all("changed"));
    expect(counted(fake.world())).toEqual(oneOfEach);
    const asked = fake.calls.length;
    expect(outcomes(await runHere(provision))).toEqual(all("ok"));
    expect(mutating(fake.calls.slice(asked))).toEqual([]);
    const last = await runHere(destroy);
    expect(last.tasks.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => "changed"));
    expect(counted(fake.world())).toEqual(nothing);
    expect(outcomes(await runHere(provision))).toEqual(all("changed"));
    expect(counted(fake.world())).toEqual(oneOfEach);
  });

  test.each(["error", "instance"] as const)(
    "is launched again if its token belongs to a terminated machine (%s)",
    async (usedToken) => {
      fake.reset({ usedToken });
      const launches: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        const before = fake.calls.length;
        await runHere(provision);
        expect(counted(fake.world())).toMatchObject({ instances: 1, addresses: 1 });
        launches.push(mutating(fake.calls.slice(before)).filter((action) => action === "RunInstances").length);
        // This happens outside furrow, for example when AWS reclaims a spot machine or someone terminates a machine in
        // the console.
        terminateAll(fake.world());
      }
      // The group stores the generation, so furrow does not try the used tokens again.
      expect(launches).toEqual([1, 2, 2, 2]);
    },
  );

  test("exists exactly once, with its resources, even if a run was killed at any API call and repeated", async () => {
    await runHere(provision);
    const most = fake.calls.length;
    for (let number = 1; number <= most; number += 1) {
      const kill = new AbortController();
      fake.reset({
        lateness: number % 3,
        judge: (call) => {
          if (call.number !== number) return kill.signal.aborted ? "silence" : undefined;
          // The call is performed, but its response never arrives.
          setImmediate(() => kill.abort(new Error("killed")));
          return "silence";
        },
      });
      await runHere(provision, { kill: kill.signal }).catch(() => undefined);
      fake.keep({ lateness: number % 3 });
      const rerun = await runHere(provision);
      const failed = outcomes(rerun).filter((line) => !/: (ok|changed)$/.test(line));
      expect([number, failed, counted(fake.world())]).toEqual([number, [], oneOfEach]);
      expect(outcomes(await runHere(provision))).toEqual(all("ok"));
    }
    covered(`EC2: a provisioning run, killed after each of its ${most} calls and then rerun`);
  });

  test("is removed by the next run after a removal was killed at any API call", async () => {
    await runHere(provision);
    const before = fake.calls.length;
    await runHere(destroy);
    const most = fake.calls.length - before;
    for (let number = 1; number <= most; number += 1) {
      fake.reset();
      await runHere(provision);
      const kill = new AbortController();
      const from = fake.calls.length;
      fake.keep({
        judge: (call) => {
          if (call.number !== from + number) return kill.signal.aborted ? "silence" : undefined;
          setImmediate(() => kill.abort(new Error("killed")));
          return "silence";
        },
      });
      await runHere(destroy, { kill: kill.signal }).catch(() => undefined);
      fake.keep({});
      const rerun = await runHere(destroy);
      const failed = outcomes(rerun).filter((line) => !/: (ok|changed)$/.test(line));
      expect([number, failed, counted(fake.world())]).toEqual([number, [], nothing]);
    }
  });

  test("is predicted by check mode without a mutating call", async () => {
    const check = await runHere(provision, { mode: "check" });
    expect(mutating(fake.calls)).toEqual([]);
    expect(outcomes(check)).toEqual(all("changed"));
    const run = await runHere(provision);
    expect(outcomes(run)).toEqual(outcomes(check));
    expect(run.tasks.map(({ changes }) => changes)).toEqual(check.tasks.map(({ changes }) => changes));
    const before = fake.calls.length;
    expect(outcomes(await runHere(provision, { mode: "check" }))).toEqual(all("ok"));
    const end = await runHere(destroy, { mode: "check" });
    expect(mutating(fake.calls.slice(before))).toEqual([]);
    expect((await runHere(destroy)).tasks.map(({ changes }) => changes)).toEqual(
      end.tasks.map(({ changes }) => changes),
    );
  });

  test("is created even if the API throttles calls and sometimes fails", async () => {
    let errors = 0;
    fake.reset({
      judge: ({ number }) => {
        if (number % 3 !== 0) return undefined;
        errors += 1;
        return number % 2 === 0
          ? new ApiError("RequestLimitExceeded", "Request limit exceeded.", 503)
          : new ApiError("InternalError", "An internal error has occurred", 500);
      },
    });
    expect(outcomes(await runHere(provision))).toEqual(all("changed"));
    expect(counted(fake.world())).toEqual(oneOfEach);
    expect(errors).toBeGreaterThan(5);
  });
});

/** Terminates all machines outside furrow, with the usual effects on their volumes and addresses. */
function terminateAll({ instances, volumes, addresses }: World): void {
  for (const one of instances) Object.assign(one, { state: "terminated", next: [] });
  for (const address of addresses) Object.assign(address, { instance: undefined, association: undefined });
  const left = volumes.filter(({ deleteOnTermination }) => !deleteOnTermination);
  for (const volume of left) Object.assign(volume, { instance: undefined, device: undefined, state: "available" });
  volumes.splice(0, volumes.length, ...left);
}
