import { afterAll, beforeAll, expect, test } from "vitest";
import { outcomes } from "../../test/packages/converge.ts";
import { repositoryOf } from "../../test/packages/debs.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import { packageIndex } from "../package-index/package-index.ts";
import { transaction } from "./transaction.ts";

let root: PackageRoot;

beforeAll(async () => {
  root = await openPackageRoot("debian");
  await repositoryOf(root, "/srv/test", [{ name: "red", fields: ["Conflicts: blue"] }, { name: "blue" }]);
  await root.sh("echo 'Acquire::Retries 0;' >/etc/apt/apt.conf.d/zz-once");
  await root.sh("echo 'deb [trusted=yes] file:/srv/test ./' >/etc/apt/sources.list; apt-get update");
}, 900_000);
afterAll(() => root.close());

/** Runs a transaction inside the root with one part of its script replaced, and returns the exit code. */
async function perform(step: ReturnType<typeof transaction>, from = "", to = ""): Promise<number> {
  if (step.step !== "run") throw new Error("no program");
  const [, , script = "", ...words] = step.argv;
  expect(script).toContain(from);
  return (await root.sh(script.replace(from, to), ...words.slice(1))).code;
}

test("refuses an unrequested removal, unlike the mutant without the comparison", async () => {
  const change = transaction({
    manager: "apt",
    action: "change",
    words: ["red"],
    waitSeconds: 60,
    label: "install red",
  });
  await root.sh("apt-get -y install blue");
  expect(await perform(change)).toBe(111);
  expect((await root.sh("dpkg-query -W blue")).code).toBe(0);
  expect(await perform(change, '[ -z "$bare" ] && return $rc', "return $rc")).toBe(0);
  expect((await root.sh("dpkg-query -W -f='${db:Status-Status}' blue")).output).not.toBe("installed");
});

test("does not count a failed fetch as done, unlike the mutant that continues", async () => {
  const refresh = transaction({ manager: "apt", action: "refresh", waitSeconds: 60, label: "fetch" });
  const check = async (): Promise<string[]> => outcomes(await taskHost([...root.enter, "sh"]).check(packageIndex({})));
  await root.sh("echo 'deb [trusted=yes] file:/srv/nowhere ./' >>/etc/apt/sources.list");
  expect(await perform(refresh)).not.toBe(0);
  expect(await check()).toEqual(["changed"]);
  expect(await perform(refresh, "patiently refresh || return", "patiently refresh || :")).toBe(0);
  expect(await check()).toEqual(["ok"]);
});
