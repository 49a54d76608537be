import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Question } from "../../src/core/facts/fact.ts";
import { kindOf } from "../../src/core/facts/kind.ts";
import { absent } from "../../src/core/facts/symbols.ts";
import { packageDependents } from "../../src/facts/packages/package-dependents.ts";
import { packageIndexState } from "../../src/facts/packages/package-index.ts";
import { packageOffer } from "../../src/facts/packages/package-offer.ts";
import { packagePlan, type PackagePlan } from "../../src/facts/packages/package-plan.ts";
import { packageState } from "../../src/facts/packages/package.ts";
import { type ManagerName, packageManager } from "../../src/facts/packages/packaging.ts";
import { readKind } from "../../src/testing/read-kind.ts";
import { openPackageRoot, type PackageRoot } from "./root.ts";

const shells = ["sh", "bash", "busybox sh"];

/** A root with a package manager and packages in a known state. */
export interface SetUp {
  readonly id: "debian" | "opensuse-leap" | "fedora";
  readonly manager: ManagerName;
  /**
   * A script that installs gate, upper and the older version of hello, and holds upper if the manager supports that.
   */
  readonly ready: string;
  /** The older and the newer version of hello. */
  readonly versions: readonly [string, string];
  /** The plan for the newer version of hello, and for torn, which has a dependency that does not exist. */
  readonly plan: readonly PackagePlan[];
}

/** Tests the facts about packages, which are read in three shells on each of these roots. */
export function testPackageFacts(setUps: readonly SetUp[]): void {
  describe.each(setUps)("facts about packages on $id", ({ id, manager, ready, versions: [older, newer], plan }) => {
    let root: PackageRoot;
    beforeAll(async () => {
      root = await openPackageRoot(id);
      await root.sh(ready);
    }, 900_000);
    afterAll(() => root.close());

    /**
     * Reads the values in each shell, and checks that they are equal and that their kind prints and parses them
     * unchanged.
     */
    const read = async (questions: readonly Question[]): Promise<unknown[]> => {
      const [first = [], ...others] = await Promise.all(
        shells.map((shell) => readKind(questions, { shell: [...root.enter, ...shell.split(" "), "-c"] })),
      );
      for (const other of others) expect(other).toEqual(first);
      const { print } = kindOf(questions[0]?.kind ?? "");
      first.forEach(({ value, lines }, index) => expect(print?.(value, questions[index]!)).toEqual(lines));
      return first.map(({ value }) => value);
    };

    test("name the distribution's own manager, even if others are installed", async () => {
      expect(await read([packageManager()])).toEqual([{ name: manager }]);
    });

    test("distinguish installed, provided, held and missing packages, even with an explicit manager", async () => {
      const names = ["hello", "doorway", "upper", "nosuch", "gate"];
      const here = { present: true, complete: true, held: false, manual: true, providedBy: [] };
      const expected = [
        { ...here, version: older },
        { ...here, version: absent, providedBy: ["gate"] },
        { ...here, version: expect.stringMatching(/^1\.0/) as string, held: manager !== "dnf" },
        { ...here, version: absent, present: false },
        { ...here, version: expect.stringMatching(/^1\.0/) as string },
      ];
      expect(await read(names.map((name) => packageState(name)))).toEqual(expected);
      expect(await read(names.map((name) => packageState(name, manager)))).toEqual(expected);
    });

    test("list candidates, versions and providers, and no offers for an unknown package", async () => {
      const [hello, doorway, nosuch] = await read(["hello", "doorway", "nosuch"].map((name) => packageOffer(name)));
      expect(hello).toMatchObject({ candidate: newer, providers: [] });
      expect((hello as { versions: string[] }).versions.toSorted()).toEqual([older, newer]);
      expect(doorway).toEqual({ candidate: absent, versions: [], providers: ["gate"] });
      expect(nosuch).toEqual({ candidate: absent, versions: [], providers: [] });
    });

    test("predict which packages would be installed as well, and why an installation would fail", async () => {
      const plans = await read([packagePlan({ words: [`hello=${newer}`] }), packagePlan({ words: ["torn"] })]);
      expect(plans).toEqual(plan);
    });

    test("list dependents, and report a recent index that covers all repositories", async () => {
      expect(await read(["ground", "gate", "nosuch"].map((name) => packageDependents(name)))).toEqual([
        { packages: ["upper"] },
        { packages: [] },
        { packages: [] },
      ]);
      expect(await read([packageIndexState(), packageIndexState(manager)])).toEqual(
        [0, 1].map(() => ({ filled: true, outdated: false, ageMinutes: expect.any(Number) as number, manager })),
      );
    });
  });
}
