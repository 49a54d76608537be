import { expect, test } from "vitest";
import upgrade from "../../playbooks/harvester-upgrade.ts";

const given = { disks: ["/dev/a"], token: "t", password: "p" };

test("harvester-upgrade without a version is refused, instead of planning an upgrade to the default version", () => {
  const { error } = upgrade.vars?.safeParse(given) ?? {};
  expect(error?.issues.map(({ path, code }) => [path, code])).toEqual([[["version"], "invalid_type"]]);
  expect(upgrade.vars?.safeParse({ ...given, version: "v1.8.2" }).error).toBeUndefined();
});

test("reports a wrong version once", () => {
  const { error } = upgrade.vars?.safeParse({ ...given, version: "1.8.2" }) ?? {};
  expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [["version"], "a Harvester version, like v1.8.1 or v1.9.0-rc1"],
  ]);
});
