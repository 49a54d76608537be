import { describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { destroyNetwork, provisionNetwork } from "./ec2-books.ts";
import type { Call } from "./ec2-fake/fake.ts";
import { ec2FakeHere } from "./ec2-fake/here.ts";
import { type RunHere, runHere } from "./run-here.ts";

const fake = await ec2FakeHere();
const outcomes = ({ tasks }: RunHere): string[] => tasks.map(({ outcome, error }) => error?.message ?? outcome);
const all = (outcome: string): string[] => Array.from({ length: 5 }, () => outcome);
const mutating = (calls: readonly Call[]): string[] =>
  calls.filter((call) => call.mutating).map(({ action }) => action);

/** The network that the run created, and its machine; the default VPC is left out. */
function made(): unknown {
  const { vpcs, subnets, gateways, groups, instances } = fake.world();
  const own = vpcs.filter(({ isDefault }) => !isDefault);
  return {
    vpcs: own.map(({ cidr, route }) => [cidr, route === gateways[0]?.id]),
    subnets: subnets
      .filter(({ isDefault }) => !isDefault)
      .map(({ cidr, zone, publicAddresses, vpc }) => [cidr, zone, publicAddresses, vpc === own[0]?.id]),
    gateways: gateways.map(({ vpc }) => vpc === own[0]?.id),
    groups: groups.map(({ vpc }) => vpc === own[0]?.id),
    instances: instances
      .filter(({ state }) => state !== "terminated")
      .map(({ subnet }) => subnet === subnets.find(({ isDefault }) => !isDefault)?.id),
  };
}

const oneOfEach = {
  vpcs: [["10.20.0.0/16", true]],
  subnets: [["10.20.0.0/20", "eu-test-1b", true, true]],
  gateways: [true],
  groups: [true],
  instances: [true],
};
const nothing = { vpcs: [], subnets: [], gateways: [], groups: [], instances: [] };

describe("a machine's own network on EC2", () => {
  test("is predicted by check mode, created, left alone by a rerun, and removed in order", async () => {
    const check = await runHere(provisionNetwork, { mode: "check" });
    expect(outcomes(check)).toEqual(all("changed"));
    expect(mutating(fake.calls)).toEqual([]);
    const run = await runHere(provisionNetwork);
    expect(outcomes(run)).toEqual(all("changed"));
    expect(run.tasks.map(({ changes }) => changes)).toEqual(check.tasks.map(({ changes }) => changes));
    expect(made()).toEqual(oneOfEach);
    const before = fake.calls.length;
    expect(outcomes(await runHere(provisionNetwork))).toEqual(all("ok"));
    expect(mutating(fake.calls.slice(before))).toEqual([]);
    const dry = await runHere(destroyNetwork, { mode: "check" });
    const end = await runHere(destroyNetwork);
    expect(outcomes(end)).toEqual(outcomes(dry));
    expect(made()).toEqual(nothing);
    expect(outcomes(await runHere(destroyNetwork))).toEqual(all("ok"));
  });

  test("needs no default VPC", async () => {
    fake.reset({ defaultZones: undefined });
    expect(outcomes(await runHere(provisionNetwork))).toEqual(all("changed"));
    expect(made()).toEqual(oneOfEach);
  });

  test("exists once, or not at all, after a run that was killed at any change and then repeated", async () => {
    await runHere(provisionNetwork);
    const most = mutating(fake.calls).length;
    const killedAt = async (number: number, book: typeof provisionNetwork, lateness: number): Promise<void> => {
      const kill = new AbortController();
      let changes = 0;
      fake.keep({
        lateness,
        judge: (call) => {
          if (kill.signal.aborted) return "silence";
          changes += call.mutating ? 1 : 0;
          if (changes !== number) return undefined;
          setImmediate(() => kill.abort(new Error("killed")));
          return "silence";
        },
      });
      await runHere(book, { kill: kill.signal }).catch(() => undefined);
      fake.keep({ lateness });
    };
    for (let number = 1; number <= most; number += 1) {
      fake.reset({ lateness: number % 3 });
      await killedAt(number, provisionNetwork, number % 3);
      const failed = outcomes(await runHere(provisionNetwork)).filter((one) => one !== "ok" && one !== "changed");
      expect([number, failed, made()]).toEqual([number, [], oneOfEach]);
      await killedAt(number, destroyNetwork, 0);
      const left = outcomes(await runHere(destroyNetwork)).filter((one) => one !== "ok" && one !== "changed");
      expect([number, left, made()]).toEqual([number, [], nothing]);
    }
    covered(`EC2: a network and its removal, killed after each of ${most} changes and then rerun`);
  });
});
