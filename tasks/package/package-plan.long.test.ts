import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { converge, outcomes } from "../../test/packages/converge.ts";
import { repositoryOf } from "../../test/packages/debs.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskEnd, type TaskHost } from "../../test/tasks/on-host.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { file } from "../file/file.ts";
import { pkg } from "./package.ts";

let root: PackageRoot;
let host: TaskHost;
const names = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);

beforeAll(async () => {
  root = await openPackageRoot("debian");
  host = taskHost([...root.enter, "sh"]);
  await repositoryOf(root, "/srv/test", [
    ...names("many", 60).map((name) => ({ name })),
    { name: "red", fields: ["Conflicts: blue"] },
    { name: "blue" },
    { name: "base", version: "1.0" },
    { name: "base", version: "2.0" },
    { name: "old", fields: ["Depends: base (<< 2)"] },
    { name: "upper", fields: ["Depends: ground"] },
    { name: "ground" },
    { name: "torn", fields: ["Depends: nowhere"] },
    { name: "essent", fields: ["Essential: yes"] },
    {
      name: "fails",
      postinst: "echo 'the disc of fails is out of balance' >&2; echo run >>/tmp/fails; [ ! -e /run/fail ]",
    },
    { name: "native", architecture: "native" },
    { name: "big", megabytes: 4 },
    { name: "asks", postinst: "read -r answer </dev/tty || echo 'no terminal' >&2; exit 3" },
  ]);
  await root.sh(
    "echo 'deb [trusted=yes] file:/srv/test ./' >/etc/apt/sources.list; apt-get update; touch /var/lib/apt/lists",
  );
}, 900_000);
afterAll(() => root.close());

const clean =
  "dpkg -P --force-all upper ground red blue old base torn essent fails asks >/dev/null 2>&1; apt-mark unhold base blue >/dev/null 2>&1; rm -f /run/fail /tmp/fails; true";
const transactions = async (): Promise<number> =>
  Number((await root.sh("grep -c '^Start-Date' /var/log/apt/history.log 2>/dev/null || true")).output.trim() || "0");

/** Returns how the same tasks end in check mode and in a run. */
async function both(...nodes: readonly Node[]): Promise<{ check: TaskEnd[]; run: TaskEnd[] }> {
  const check = await host.check(...nodes);
  const run = await host.apply(...nodes);
  expect(outcomes(check)).toEqual(outcomes(run));
  return { check, run };
}

describe("package tasks as one simulated transaction", () => {
  test("perform five tasks on a clean host as one apt transaction, each with its own change", async () => {
    const before = await transactions();
    const tasks = names("many", 5).map((name) => pkg({ name }));
    expect(outcomes(await host.check(...tasks))).toEqual(tasks.map(() => "changed"));
    const ends = await host.apply(...tasks);
    expect(ends.map(({ outcome, facts, error }) => ({ outcome, facts, error: error?.failure }))).toEqual(
      names("many", 5).map((name) => ({ outcome: "changed", facts: [`package:${name}`], error: undefined })),
    );
    expect((await transactions()) - before).toBe(1);
    expect(outcomes(await host.apply(...tasks))).toEqual(tasks.map(() => "ok"));
  });

  test("also perform five tasks with state: latest as one apt transaction", async () => {
    await root.sh("dpkg -P --force-all many1 many2 many3 many4 many5; true");
    const before = await transactions();
    const tasks = names("many", 5).map((name) => pkg({ name, state: "latest" }));
    const each = tasks.flatMap(() => ["ok", "changed"]);
    expect(outcomes(await host.check(...tasks))).toEqual(each);
    expect(outcomes(await host.apply(...tasks))).toEqual(each);
    expect((await transactions()) - before).toBe(1);
    expect(outcomes(await host.apply(...tasks))).toEqual(tasks.flatMap(() => ["ok", "ok"]));
  });

  test("are all decided in check mode, including refusals and removals, for 60 tasks on a clean host", async () => {
    const tasks = names("many", 60).map((name, at) => pkg(at === 30 ? { name: "torn" } : { name }));
    const ends = await host.check(...tasks, pkg({ name: "ground", state: "absent" }));
    expect(ends.filter(({ outcome }) => outcome === "undecided")).toEqual([]);
    expect(ends.filter(({ outcome }) => outcome === "failed").map(({ title }) => title)).toEqual(["package torn"]);
  });

  test("do not remove a package that conflicts with a new one unless allowed to", async () => {
    await root.sh(`${clean}; apt-get -y install blue`);
    const { check } = await both(pkg({ name: "red" }));
    expect(check[0]?.error?.failure).toMatchObject({ current: "blue" });
    expect((await root.sh("dpkg-query -W blue")).code).toBe(0);
    const allowed = await host.check(pkg({ name: "red", mayRemove: ["blue"] }));
    expect(allowed[0]?.notes).toEqual(["also removes blue"]);
    expect(await converge(host, pkg({ name: "red", mayRemove: ["blue"] }))).toEqual({
      checked: ["changed"],
      ran: ["changed"],
    });
  });

  test("refuse a version that another package does not allow, and do not remove dependents", async () => {
    await root.sh(`${clean}; apt-get -y install base=1.0 old`);
    for (const call of [pkg({ name: "base", version: "2.0" }), pkg({ name: "base", state: "latest" })]) {
      const { check } = await both(call);
      expect(check.at(-1)?.error?.failure).toMatchObject({ current: "old" });
    }
    expect((await root.sh("dpkg-query -W old")).code).toBe(0);
  });

  test("refuse the second of two conflicting packages, in check mode and in every run", async () => {
    await root.sh(clean);
    const nodes = [pkg({ name: "red" }), pkg({ name: "blue" })];
    const { check, run } = await both(...nodes);
    expect(outcomes(run)).toEqual(["changed", "failed"]);
    expect(check[1]?.error?.failure.current).toContain("red : Conflicts: blue");
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "failed"]);
  });

  test("are refused with apt's reason, in check mode too, if apt-get -s predicts that they fail", async () => {
    await root.sh(`${clean}; apt-get -y install base=1.0 old essent; apt-mark hold old`);
    const cases = [
      { call: pkg({ name: "torn" }), says: "torn : Depends: nowhere" },
      { call: pkg({ name: "essent", state: "absent" }), says: "essent" },
      { call: pkg({ name: "base", version: "2.0", mayRemove: ["old"] }), says: "old : Depends: base (< 2)" },
    ];
    for (const { call, says } of cases) {
      const { check } = await both(call);
      expect(check[0]?.error?.code).toBe("E_REFUSED");
      expect(check[0]?.error?.failure.current).toContain(says);
    }
    await root.sh("apt-mark unhold old");
  });

  test("mark a dependency as explicitly installed if a task requests it, so that autoremove keeps it", async () => {
    await root.sh(clean);
    const nodes = [pkg({ name: "upper" }), file({ path: "/tmp/between", content: "x" }), pkg({ name: "ground" })];
    expect(await converge(host, ...nodes)).toEqual({
      checked: ["changed", "changed", "changed"],
      ran: ["changed", "changed", "changed"],
    });
    await root.sh("apt-get -y remove upper; apt-get -y autoremove");
    expect((await root.sh("dpkg-query -W ground")).code).toBe(0);
  });

  test("refuse 36 misspelled names after one read of the lists", async () => {
    const note = "printf '#!/bin/sh\\necho x >>/run/reads; exec /usr/bin/%s \"$@\"\\n' $p >/usr/local/bin/$p";
    await root.sh(`for p in apt-cache apt-get; do ${note}; chmod +x /usr/local/bin/$p; done; : >/run/reads`);
    const ends = await host.check(...names("nosuch", 36).map((name) => pkg({ name }, { ignoreFailure: true })));
    const reads = (await root.sh("wc -l </run/reads; rm /run/reads /usr/local/bin/apt-cache /usr/local/bin/apt-get"))
      .output;
    expect(ends.map(({ error }) => error?.failure.what)).toEqual(
      names("nosuch", 36).map((name) => `no package named ${name} is in the host's package index`),
    );
    // If the host has no cache of the package lists, each apt command creates one, which takes a second.
    expect(Number(reads)).toBeGreaterThan(0);
    expect(Number(reads)).toBeLessThan(10);
  });

  test("are undecided in check mode about an unknown name or a removal if the index is old, and refuse the removal in the run", async () => {
    await root.sh(`${clean}; apt-get -y install blue; touch -d '2 days ago' /var/lib/apt/lists`);
    expect(outcomes(await host.check(pkg({ name: "nosuch" })))).toEqual(["undecided"]);
    expect(outcomes(await host.check(pkg({ name: "ground" })))).toEqual(["changed"]);
    expect(outcomes(await host.check(pkg({ name: "red" })))).toEqual(["undecided"]);
    const [end] = await host.apply(pkg({ name: "red" }));
    expect(end?.error?.failure).toMatchObject({ current: "exit code 111" });
    expect(JSON.stringify(end?.error?.failure)).toContain("it would remove blue");
    expect((await root.sh("dpkg-query -W blue")).code).toBe(0);
    await root.sh("touch /var/lib/apt/lists");
  });

  test("name additional packages in check mode", async () => {
    await root.sh(clean);
    const [end] = await host.check(pkg({ name: "upper" }));
    expect(end?.notes).toEqual(["also installs ground 1.0"]);
  });

  test("finish the tasks before the one that fails, report the cause, and finish the rest in a rerun", async () => {
    await root.sh(`${clean}; touch /run/fail`);
    const ends = await host.apply(pkg({ name: "ground" }), pkg({ name: "fails" }), pkg({ name: "blue" }));
    expect(outcomes(ends)).toEqual(["changed", "failed"]);
    expect(JSON.stringify(ends[1]?.error?.failure)).toContain("the disc of fails is out of balance");
    expect((await root.sh("wc -l </tmp/fails")).output.trim()).toBe("2");
    await root.sh("rm /run/fail");
    expect(outcomes(await host.apply(pkg({ name: "ground" }), pkg({ name: "fails" }), pkg({ name: "blue" })))).toEqual([
      "ok",
      "changed",
      expect.stringMatching(/changed|ok/) as string,
    ]);
  });

  test("do not repeat a postinst that fails, and show its output in the error", async () => {
    await root.sh(`${clean}; touch /run/fail`);
    const [end] = await host.apply(pkg({ name: "fails" }));
    expect(JSON.stringify(end?.error?.failure)).toContain("the disc of fails is out of balance");
    expect((await root.sh("wc -l </tmp/fails")).output.trim()).toBe("1");
  });

  test("do not fail because of another package's broken postinst", async () => {
    await root.sh(`${clean}; touch /run/fail; apt-get -y install fails`);
    const [end] = await host.apply(pkg({ name: "ground" }));
    expect(end?.outcome).toBe("changed");
    expect(end?.notes.join()).toContain("another package on this host could not be set up");
    expect(outcomes(await host.apply(pkg({ name: "ground" })))).toEqual(["ok"]);
  });

  test("do not hang on a postinst that reads from the terminal", async () => {
    await root.sh(clean);
    const started = Date.now();
    const [end] = await host.apply(pkg({ name: "asks" }));
    expect(end?.outcome).toBe("failed");
    expect(Date.now() - started).toBeLessThan(300_000);
  });

  test("accept a name with the host's own architecture, installed or not", async () => {
    await root.sh("dpkg -P --force-all native; true");
    const architecture = (await root.sh("dpkg --print-architecture")).output.trim();
    expect(outcomes(await host.check(pkg({ name: `dpkg:${architecture}` })))).toEqual(["ok"]);
    expect(await converge(host, pkg({ name: `native:${architecture}` }))).toEqual({
      checked: ["changed"],
      ran: ["changed"],
    });
    expect((await root.sh("dpkg-query -W -f='${db:Status-Abbrev}' native")).output).toBe("ii ");
    expect(outcomes(await host.apply(pkg({ name: "native" })))).toEqual(["ok"]);
    const [missing] = await host.check(pkg({ name: `nosuch:${architecture}` }));
    expect(missing?.error?.failure.what).toContain(`no package named nosuch:${architecture}`);
    const gone = pkg({ name: `native:${architecture}`, state: "absent" });
    expect(await converge(host, gone)).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test.each([
    { what: "the fetched packages", folder: "/var/cache/apt/archives" },
    { what: "the files of packages", folder: "/usr/share/big" },
  ])("fail on a disk that is too full for $what and say so, and converge once there is room", async ({ folder }) => {
    await root.sh(`${clean}; sed -i s/file:/copy:/ /etc/apt/sources.list; apt-get update; touch /var/lib/apt/lists`);
    await root.sh(`dpkg -P --force-all big; mkdir -p ${folder}; mount -t tmpfs -o size=1m tmpfs ${folder}`);
    await root.sh(`mkdir -p ${folder}/partial`);
    const [end] = await host.apply(pkg({ name: "big" }));
    expect(end?.outcome).toBe("failed");
    expect(JSON.stringify(end?.error?.failure)).toMatch(/No space left on device|enough free space/);
    await root.sh(`umount ${folder}`);
    expect(await converge(host, pkg({ name: "big" }))).toEqual({ checked: ["changed"], ran: ["changed"] });
    expect((await root.sh("dpkg --audit")).output).toBe("");
  });
});
