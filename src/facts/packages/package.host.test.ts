import { describe, expect, test } from "vitest";
import { testPackageFacts } from "../../../test/packages/facts.ts";
import { openPackageRoot } from "../../../test/packages/root.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { PackagePlan } from "./package-plan.ts";
import { readKind } from "../../testing/read-kind.ts";
import { packageState } from "./package.ts";

const nothing: PackagePlan = { installs: [], upgrades: [], downgrades: [], removes: [], reason: absent, clash: false };
const reason = expect.stringContaining("nowhere") as string;

testPackageFacts([
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
]);

describe("a package that was installed as a dependency", () => {
  test("is distinguished from a package that was requested", async () => {
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

describe("an interrupted dpkg", () => {
  test("leaves behind packages that are read as incomplete", async () => {
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
