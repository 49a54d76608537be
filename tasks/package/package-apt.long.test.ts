import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { converge, outcomes } from "../../test/packages/converge.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { packageIndex } from "../package-index/package-index.ts";
import { pkg } from "./package.ts";

let root: PackageRoot;
let host: TaskHost;

beforeAll(async () => {
  root = await openPackageRoot("debian");
  host = taskHost([...root.enter, "sh"]);
  await root.sh("echo 'deb [trusted=yes] file:/srv/deb ./' >/etc/apt/sources.list");
}, 900_000);
afterAll(() => root.close());

describe("package with apt", () => {
  test("installs packages with dependencies on a fresh image, whose index is empty", async () => {
    await root.sh("rm -rf /var/lib/apt/lists/*");
    expect(await converge(host, pkg({ name: ["upper", "hello"] }))).toEqual({ checked: ["changed"], ran: ["changed"] });
    expect((await root.sh("dpkg-query -W hello upper ground")).output).toMatch(/ground\s1.0\nhello\s2.0\nupper\s1.0/);
  });

  test("names a package that is not found, in check mode and in the run", async () => {
    for (const mode of ["check", "apply"] as const) {
      const [end] = await host[mode](pkg({ name: ["gate", "nosuch"] }));
      expect(end?.error).toMatchObject({ code: "E_REFUSED", failure: { what: expect.stringContaining("nosuch") } });
    }
    expect((await root.sh("dpkg-query -W gate")).code).toBe(1);
  });

  test("names a package that is missing from an index that the run had to fetch first", async () => {
    await root.sh("rm -rf /var/lib/apt/lists/*");
    const [end] = await host.apply(pkg({ name: ["gate", "nosuch"] }));
    expect(end?.error?.failure.current).toBe("exit code 104");
    expect(end?.error?.failure.details?.at(-1)).toMatch(/^no package named nosuch is in the index of apt/);
  });

  test("installs the only package that provides a name, and refuses a name that several provide", async () => {
    const [end] = await host.check(pkg({ name: "portal" }));
    expect(end?.error?.failure).toMatchObject({ current: "arch, gate" });
    expect(await converge(host, pkg({ name: "doorway" }))).toEqual({ checked: ["changed"], ran: ["changed"] });
    const [provided] = await host.apply(pkg({ name: "portal" }));
    expect(provided).toMatchObject({ outcome: "ok", notes: ["portal is provided by gate"] });
  });

  test("changes to an exact version, and refuses a version that no repository offers", async () => {
    expect(await converge(host, pkg({ name: "hello", version: "1.0" }))).toEqual({
      checked: ["changed"],
      ran: ["changed"],
    });
    expect((await root.sh("cat /usr/share/hello/version")).output).toBe("1.0\n");
    const [end] = await host.check(pkg({ name: "hello", version: "3.0" }));
    expect(end?.error?.failure).toMatchObject({ current: "2.0, 1.0", expected: "3.0" });
  });

  test("keeps a modified configuration file, and refuses to change a held package", async () => {
    await root.sh("echo mine >/etc/hello.conf; apt-mark hold hello");
    const [held] = await host.check(pkg({ name: "hello", version: "2.0" }));
    expect(held?.error?.failure.what).toBe("hello is held at version 1.0, but would have to change");
    await root.sh("apt-mark unhold hello");
    expect(await converge(host, pkg({ name: "hello", state: "latest" }))).toEqual({
      checked: ["ok", "changed"],
      ran: ["ok", "changed"],
    });
    expect((await root.sh("cat /etc/hello.conf")).output).toBe("mine\n");
  });

  test("for `state: latest`, refreshes an index that lacks a repository; in check mode the package is undecided", async () => {
    await root.sh("touch /etc/apt/sources.list");
    await root.sh("apt-mark manual ground");
    const latest = pkg({ name: "ground", state: "latest" });
    expect(await converge(host, latest)).toEqual({ checked: ["changed", "undecided"], ran: ["changed", "ok"] });
  });

  test("removes packages, and refuses to remove those that others need unless told to", async () => {
    const [end] = await host.check(pkg({ name: "ground", state: "absent" }));
    expect(end?.error?.failure).toMatchObject({ current: "upper" });
    const both = pkg({ name: ["ground", "upper"], state: "absent" });
    expect(await converge(host, both)).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test("leaves a fresh index alone, and fetches an old index", async () => {
    expect(outcomes(await host.check(packageIndex({})))).toEqual(["ok"]);
    await root.sh("touch -d '2 hours ago' /var/lib/apt/lists");
    expect(await converge(host, packageIndex({}))).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test("predicts a later package task in check mode even if an earlier task also installs dependencies", async () => {
    await root.sh("dpkg -P hello gate");
    const ends = await host.check(pkg({ name: "upper" }), pkg({ name: "upper" }), pkg({ name: "ground" }));
    expect(outcomes(ends)).toEqual(["changed", "ok", "changed"]);
  });
});

describe("package with apt, under interference", () => {
  test("gives up after the deadline and names the process that holds the lock", async () => {
    await root.sh(
      "touch /run/slow; (apt-get -y install slow >/dev/null 2>&1 &); while [ ! -e /run/slow.started ]; do sleep 0.1; done",
    );
    const [end] = await host.apply(pkg({ name: "gate", waitSeconds: 2 }));
    expect(end?.error?.failure.current).toBe("exit code 75");
    expect(end?.error?.failure.details?.at(-1)).toMatch(
      /^gave up after 2 s: the package database is in use by process \d+ \(.*(apt-get -y install slow|dpkg .*)\)$/,
    );
  });

  test("waits for the lock, then installs", async () => {
    const waiting = host.apply(pkg({ name: "gate" }));
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await root.sh("rm -f /run/slow /run/slow.started");
    expect(outcomes(await waiting)).toEqual(["changed"]);
  });

  test("finishes an installation that was killed in the middle", async () => {
    await root.sh("dpkg -P slow ground gate hello; touch /run/slow");
    await root.sh(
      "(apt-get -y install slow hello >/dev/null 2>&1 &); while [ ! -e /run/slow.started ]; do sleep 0.1; done; kill -9 $(pidof apt-get dpkg); rm -f /run/slow*; sleep 0.3",
    );
    expect((await root.sh("apt-get -y install gate")).output).toContain("dpkg was interrupted");
    expect(await converge(host, pkg({ name: ["slow", "hello"] }))).toEqual({ checked: ["changed"], ran: ["changed"] });
    expect((await root.sh("dpkg --audit")).output).toBe("");
  });

  test("reports a package whose script fails, and repairs it once the cause is gone", async () => {
    await root.sh("touch /run/broken");
    const [end] = await host.apply(pkg({ name: "broken" }));
    expect(end?.error).toMatchObject({ code: "E_STEP" });
    await root.sh("rm /run/broken");
    expect(await converge(host, pkg({ name: "broken" }))).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test("fetches the index and tries again if a version is no longer in the repository", async () => {
    await root.sh(
      "dpkg -P gate; cp -a /srv/deb /srv/new; cd /srv/new; sed -i 's/^Filename: .*gate_1.0/Filename: .\\/gone_1.0/' Packages; rm InRelease Release; cp -a Packages /tmp/Packages.bad",
    );
    await root.sh(
      "echo 'deb [trusted=yes] file:/srv/new ./' >/etc/apt/sources.list; apt-get update; cp /srv/deb/Packages /srv/new/Packages; touch /var/lib/apt/lists",
    );
    expect(await converge(host, pkg({ name: "gate" }))).toEqual({ checked: ["changed"], ran: ["changed"] });
  });
});
