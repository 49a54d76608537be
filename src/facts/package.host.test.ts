import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import type { Question } from "../core/fact.ts";
import { kindOf } from "../core/kind.ts";
import { absent } from "../core/symbols.ts";
import { readKind } from "../testing/read-kind.ts";
import { packageDependents } from "./package-dependents.ts";
import { packageIndexState } from "./package-index.ts";
import { packageOffer } from "./package-offer.ts";
import { packagePlan } from "./package-plan.ts";
import { packageState } from "./package.ts";
import { packageManager } from "./packaging.ts";

const shells = ["sh", "bash", "busybox sh"];
const nothing = { installs: [], upgrades: [], downgrades: [], removes: [], reason: absent, clash: false };
const reason = expect.stringContaining("nowhere") as string;
const setUps = [
  {
    id: "debian",
    manager: "apt",
    ready: `echo 'deb [trusted=yes] file:/srv/deb ./' >/etc/apt/sources.list; apt-get update; apt-get -y install hello=1.0 gate upper; apt-mark hold upper; touch /var/lib/apt/lists`,
    versions: ["1.0", "2.0"],
    plan: [
      { ...nothing, upgrades: ["hello=1.0=2.0"] },
      { ...nothing, reason },
    ],
  },
  {
    id: "opensuse-leap",
    manager: "zypper",
    ready: `zypper --non-interactive addrepo --no-gpgcheck file:///srv/rpm test; zypper --non-interactive refresh; zypper --non-interactive install shell hello=1.0 gate upper; zypper addlock 'upp*'; touch /var/cache/zypp/raw`,
    versions: ["1.0-1", "2.0-1"],
    plan: [
      { ...nothing, upgrades: ["hello"] },
      { ...nothing, reason },
    ],
  },
  {
    id: "fedora",
    manager: "dnf",
    ready: `mkdir -p /etc/yum.repos.d; printf '[test]\\nname=test\\nbaseurl=file:///srv/rpm\\ngpgcheck=0\\n' >/etc/yum.repos.d/test.repo; dnf -y install shell hello-1.0 gate upper; touch /var/cache/dnf`,
    versions: ["1.0-1", "2.0-1"],
    // furrow does not ask dnf: it would take seconds.
    plan: [nothing, nothing],
  },
] as const;

describe.each(setUps)("facts about packages on $id", ({ id, manager, ready, versions: [older, newer], plan }) => {
  let root: PackageRoot;
  beforeAll(async () => {
    root = await openPackageRoot(id);
    await root.sh(ready);
  }, 300_000);
  afterAll(() => root.close());

  /** The values in each shell, once they are found equal, and equal to what their kind prints and parses. */
  const read = async (questions: readonly Question[]): Promise<unknown[]> => {
    const [first = [], ...others] = await Promise.all(
      shells.map((shell) => readKind(questions, { shell: [...root.enter, ...shell.split(" "), "-c"] })),
    );
    for (const other of others) expect(other).toEqual(first);
    const { print } = kindOf(questions[0]?.kind ?? "");
    first.forEach(({ value, lines }, index) => expect(print?.(value, questions[index]!)).toEqual(lines));
    return first.map(({ value }) => value);
  };

  test("the manager is the distribution's own, though others are installed", async () => {
    expect(await read([packageManager()])).toEqual([{ name: manager }]);
  });

  test("packages: installed, provided, held, missing; with the manager given too", async () => {
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

  test("offers: candidate, versions, providers, nothing", async () => {
    const [hello, doorway, nosuch] = await read(["hello", "doorway", "nosuch"].map((name) => packageOffer(name)));
    expect(hello).toMatchObject({ candidate: newer, providers: [] });
    expect((hello as { versions: string[] }).versions.toSorted()).toEqual([older, newer]);
    expect(doorway).toEqual({ candidate: absent, versions: [], providers: ["gate"] });
    expect(nosuch).toEqual({ candidate: absent, versions: [], providers: [] });
  });

  test("plans: what would come along, and why something would not go", async () => {
    const plans = await read([packagePlan({ words: [`hello=${newer}`] }), packagePlan({ words: ["torn"] })]);
    expect(plans).toEqual(plan);
  });

  test("dependents, and a young index that knows all repositories", async () => {
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

describe("a package that came along as a dependency", () => {
  test("is told apart from one that was asked for", async () => {
    const root = await openPackageRoot("debian");
    await root.sh(
      "echo 'deb [trusted=yes] file:/srv/deb ./' >/etc/apt/sources.list; apt-get update; apt-get -y install upper",
    );
    const answers = await readKind(
      ["upper", "ground"].map((name) => packageState(name)),
      { shell: [...root.enter, "sh", "-c"] },
    );
    root.close();
    expect(answers.map(({ value }) => value)).toMatchObject([{ manual: true }, { manual: false }]);
  });
});

describe("a dpkg that was interrupted", () => {
  test("shows packages that are not complete", async () => {
    const root = await openPackageRoot("debian");
    await root.sh(
      "cd /srv/deb; dpkg --unpack hello_2.0_all.deb; sed -i '/^Package: gate$/,/^$/d' /var/lib/dpkg/status; touch /run/broken; dpkg -i broken_1.0_all.deb",
    );
    const answers = await readKind(
      ["hello", "broken"].map((name) => packageState(name)),
      { shell: [...root.enter, "sh", "-c"] },
    );
    root.close();
    expect(answers.map(({ value }) => value)).toMatchObject([
      { present: true, version: "2.0", complete: false },
      { present: true, version: "1.0", complete: false },
    ]);
  });
});
