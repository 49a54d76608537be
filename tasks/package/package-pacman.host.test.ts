import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { converge, outcomes } from "../../test/packages/converge.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { packageIndex } from "../package-index/package-index.ts";
import { pkg } from "./package.ts";

const changed = { checked: ["changed"], ran: ["changed"] };
let root: PackageRoot;
let host: TaskHost;

beforeAll(async () => {
  root = await openPackageRoot("arch");
  host = taskHost([...root.enter, "sh"]);
  await root.sh(
    `printf '[options]\\nArchitecture = auto\\nSigLevel = Never\\n[test]\\nServer = file:///srv/pacman\\n' >/etc/pacman.conf`,
  );
}, 900_000);
afterAll(() => root.close());

describe("package with pacman", () => {
  test("names additional packages in check mode if there is an index", async () => {
    await root.sh("pacman -Sy");
    const [end] = await host.check(pkg({ name: "upper" }));
    expect(end).toMatchObject({ outcome: "changed", notes: ["also installs ground 1.0-1"] });
    await root.sh("rm -rf /var/lib/pacman/sync");
  });

  test("installs a package with dependencies on a host whose index is empty", async () => {
    expect(await converge(host, pkg({ name: ["upper", "hello"] }))).toEqual(changed);
    expect((await root.sh("pacman -Q")).output).toBe("ground 1.0-1\nhello 1.0-1\nupper 1.0-1\n");
  });

  test("names a package that is not found, and accepts a name that an installed package provides", async () => {
    const [end] = await host.check(pkg({ name: "nosuch" }));
    expect(end?.error?.failure.what).toContain("nosuch");
    expect(await converge(host, pkg({ name: "doorway" }))).toEqual(changed);
    expect((await host.apply(pkg({ name: "doorway" })))[0]?.notes).toEqual(["doorway is provided by gate"]);
  });

  test("installs the latest version after the index is fetched, and refuses a version that no repository offers", async () => {
    expect(await converge(host, pkg({ name: "hello", version: "1.0-1" }))).toEqual({ checked: ["ok"], ran: ["ok"] });
    await root.sh(
      "cd /srv/pacman; cp next/* .; repo-add -q test.db.tar.gz hello-2.0*; touch -d '2 hours ago' /var/lib/pacman/sync",
    );
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["changed"]);
    const [end] = await host.check(pkg({ name: "gate", version: "3.0-1" }));
    expect(end?.error?.failure).toMatchObject({ current: "1.0-1" });
    expect(await converge(host, pkg({ name: "hello", state: "latest" }))).toEqual({
      checked: ["ok", "changed"],
      ran: ["ok", "changed"],
    });
    expect((await root.sh("cat /usr/share/hello/version")).output).toBe("2.0-1\n");
  });

  test("removes packages, and refuses to remove those that others need unless told to", async () => {
    const [end] = await host.check(pkg({ name: "ground", state: "absent" }));
    expect(end?.error?.failure).toMatchObject({ current: "upper" });
    expect(await converge(host, pkg({ name: "ground", state: "absent", dependents: true }))).toEqual(changed);
    expect((await root.sh("pacman -Q upper")).code).toBe(1);
  });

  test("waits for the lock, then gives up and names its file", async () => {
    await root.sh("touch /var/lib/pacman/db.lck");
    const [end] = await host.apply(pkg({ name: "ground", waitSeconds: 2 }));
    expect(end?.error?.failure.details?.at(-1)).toBe(
      "gave up after 2 s: the package database is in use by the program that made /var/lib/pacman/db.lck",
    );
    const waiting = host.apply(pkg({ name: "ground" }));
    await root.sh("sleep 1; rm /var/lib/pacman/db.lck");
    expect(outcomes(await waiting)).toEqual(["changed"]);
  });
});
