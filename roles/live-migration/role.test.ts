import { describe, expect, test } from "vitest";
import { answersOf, singleOf, soundCluster } from "../../test/guards/examples.ts";
import { migrationOf } from "../../test/guards/operation-examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { policiesSettled } from "./policies-settled.ts";
import { kubeVirtPath, migrationSettings, migrationSettingsReady } from "./settings.ts";
import { liveMigrationSchema, policyObjects } from "./vars.ts";

const kubeVirt = { found: true, object: singleOf(kubeVirtPath) };
const running = [migrationOf("web-furrow-1", "web", "Running")];

function ask(
  value: string,
  migrations: object[] = [],
  more: object = {},
  settings: Record<string, string | number | boolean> = { allowAutoConverge: true },
): Explanation {
  const object = {
    kind: "Setting",
    metadata: { name: "kubevirt-migration", resourceVersion: "7" },
    default: '{"progressTimeout":150}',
    value,
  };
  return explain(migrationSettings({ kubeconfig: "k", settings }), {
    ...answersOf({ ...soundCluster, migrations }),
    setting: { found: true, object },
    kubeVirt,
    trial: { accepted: true },
    ...more,
  });
}
interface Body {
  readonly metadata?: object;
  readonly value: string;
}
const bodyIn = ({ steps }: Explanation): Body | undefined => {
  const [step] = steps as unknown as { request: { body: Body } }[];
  return step?.request.body;
};
const valueIn = (explained: Explanation): unknown => JSON.parse(bodyIn(explained)?.value ?? "null");

const settingWith = (settings: object) => ({
  found: true,
  object: { kind: "Setting", metadata: { name: "kubevirt-migration" }, value: JSON.stringify(settings) },
});

describe("the live migration settings", () => {
  test("keep all other fields, because Harvester writes them as a whole", () => {
    expect(valueIn(ask('{"parallelMigrationsPerCluster":4,"allowAutoConverge":false}'))).toEqual({
      parallelMigrationsPerCluster: 4,
      allowAutoConverge: true,
    });
  });

  test("are refused in check mode if Harvester denies them", () => {
    const refused = { code: "invalid-object", message: "Setting kubevirt-migration: not allowed", hint: "Correct it" };
    expect(ask("{}", [], { trial: { refused } }).refusal).toMatchObject(refused);
  });

  test("keep fields that only KubeVirt has, except those that belong to others", () => {
    expect(valueIn(ask(""))).toEqual({
      progressTimeout: 150,
      parallelMigrationsPerCluster: 5,
      allowAutoConverge: true,
    });
  });

  test("are not replaced if somebody else has changed them since they were read", () => {
    expect(bodyIn(ask('{"parallelMigrationsPerCluster":4}'))?.metadata).toEqual({ resourceVersion: "7" });
  });

  test("do not change if they have the same bandwidth in another unit, even while a machine is migrating", () => {
    const bandwidth = (bandwidthPerMigration: string): Explanation =>
      ask('{"bandwidthPerMigration":"1Gi","progressTimeout":150}', running, {}, { bandwidthPerMigration });
    expect([bandwidth("1024Mi").described, bandwidth("1024Mi").refusal]).toEqual([[], undefined]);
    expect(bandwidth("1025Mi").refusal?.code).toBe("migration-runs");
  });

  test("do not change if only the order of their fields differs, even while a machine is migrating", () => {
    const wanted = { allowAutoConverge: true, progressTimeout: 150, bandwidthPerMigration: "64Mi" };
    const turned = JSON.stringify(Object.fromEntries(Object.entries(wanted).toReversed()));
    expect(turned).not.toBe(JSON.stringify(wanted));
    const { described, refusal } = ask(turned, running, {}, wanted);
    expect([described, refusal]).toEqual([[], undefined]);
  });

  test("are refused while a machine is migrating, and only if they would change", () => {
    expect(ask("", running).refusal?.message).toBe(
      "virtual machines are migrating: default/web (default/web-furrow-1)",
    );
    expect(ask('{"allowAutoConverge":true}', running).refusal).toBeUndefined();
  });

  test("are refused if furrow cannot read them, or if Harvester does not have them", () => {
    expect(ask("{broken").refusal?.message).toContain("has a value that furrow cannot read");
    expect(ask("", [], { setting: { found: false } }).refusal?.hint).toContain("Upgrade to v1.7");
  });

  test("end the wait once KubeVirt has applied them", () => {
    const wait = (settings: Record<string, number>): string | undefined =>
      explain(migrationSettingsReady({ kubeconfig: "k", settings, deadlineSeconds: 1 }), {
        kubeVirt,
        setting: settingWith(settings),
      }).refusal?.message;
    expect(wait({ parallelMigrationsPerCluster: 5 })).toBeUndefined();
    expect(wait({ parallelMigrationsPerCluster: 3 })).toBe("KubeVirt has not applied parallelMigrationsPerCluster 3");
  });

  test("end the wait at once if somebody else has changed them meanwhile", () => {
    const wait = (value: string) => {
      const object = { kind: "Setting", metadata: { name: "kubevirt-migration" }, value };
      const task = migrationSettingsReady({
        kubeconfig: "k",
        settings: { parallelMigrationsPerCluster: 9 },
        deadlineSeconds: 1,
      });
      return explain(task, { kubeVirt, setting: { found: true, object } }).refusal;
    };
    expect(wait('{"parallelMigrationsPerCluster":9}')?.code).toBe("not-yet");
    for (const other of ['{"parallelMigrationsPerCluster":2}', "", "{broken"])
      expect(wait(other)).toMatchObject({
        message:
          "the setting kubevirt-migration has been changed in the meantime: it no longer has parallelMigrationsPerCluster 9",
        final: true,
      });
  });

  test.each([
    ["1024Mi", "1Gi", undefined],
    ["0", 0, undefined],
    ["1024Mi", "1G", "KubeVirt has not applied bandwidthPerMigration 1024Mi"],
    ["64Mi", undefined, "KubeVirt has not applied bandwidthPerMigration 64Mi"],
  ])("end the wait for the bandwidth %s depending on what KubeVirt has: %s", (wanted, has, says) => {
    const migrations = { bandwidthPerMigration: has };
    const object = { ...singleOf(kubeVirtPath), spec: { configuration: { migrations } } };
    const settings = { bandwidthPerMigration: wanted };
    const task = migrationSettingsReady({ kubeconfig: "k", settings, deadlineSeconds: 1 });
    expect(explain(task, { kubeVirt: { found: true, object }, setting: settingWith(settings) }).refusal?.message).toBe(
      says,
    );
  });
});

describe("the policies", () => {
  const vars = (policy: object) => liveMigrationSchema.safeParse({ kubeconfig: "k", policies: { slow: policy } });

  test("must name the machines that they apply to", () => {
    expect(vars({}).error?.issues[0]?.message).toContain("without them, the policy would apply to all machines");
    const { policies } = vars({ machines: { size: "large" }, bandwidthPerMigration: "64Mi" }).data ?? { policies: {} };
    expect(policyObjects({ policies })[0]?.spec).toEqual({
      selectors: { virtualMachineInstanceSelector: { size: "large" } },
      bandwidthPerMigration: "64Mi",
    });
  });

  test("are refused while a machine is migrating, and only if they would change", () => {
    const policy = {
      found: true,
      object: { kind: "MigrationPolicy", metadata: { name: "slow" }, spec: { allowPostCopy: false } },
    };
    const settled = (allowPostCopy: boolean): string | undefined =>
      explain(policiesSettled({ kubeconfig: "k", policies: [{ name: "slow", spec: { allowPostCopy } }] }), {
        ...answersOf({ ...soundCluster, migrations: running }),
        policies: [policy],
      }).refusal?.message;
    expect(settled(false)).toBeUndefined();
    expect(settled(true)).toContain("virtual machines are migrating");
  });
});
