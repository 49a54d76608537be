import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { converge, outcomes } from "../../test/packages/converge.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { file } from "../file/file.ts";
import { packageIndex } from "../package-index/package-index.ts";
import { pkg } from "./package.ts";

// dnf is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const setUps = [
  {
    manager: "zypper",
    id: "opensuse-leap",
    repository: "zypper --non-interactive addrepo --no-gpgcheck file:///srv/rpm test",
    empty: "rm -rf /var/cache/zypp",
    age: "touch -d '2 hours ago' /var/cache/zypp/raw",
    install: "zypper --non-interactive install",
  },
  {
    manager: "dnf",
    id: "fedora",
    repository: `mkdir -p /etc/yum.repos.d; printf '[test]\\nname=test\\nbaseurl=file:///srv/rpm\\ngpgcheck=0\\n' >/etc/yum.repos.d/test.repo`,
    empty: "rm -rf /var/cache/dnf",
    age: "touch -d '2 hours ago' /var/cache/dnf",
    install: "dnf -y install",
  },
] as const;
const changed = { checked: ["changed"], ran: ["changed"] };

describe.each(setUps)("package with $manager", ({ manager, id, repository, empty, age, install }) => {
  let root: PackageRoot;
  let host: TaskHost;

  beforeAll(async () => {
    root = await openPackageRoot(id);
    host = taskHost([...root.enter, "sh"]);
    await root.sh(repository);
  }, 900_000);
  afterAll(() => root.close());

  test("installs a package with dependencies on a host whose index is empty", async () => {
    await root.sh(empty);
    expect(await converge(host, pkg({ name: ["shell", "upper", "hello"] }))).toEqual(changed);
    expect((await root.sh("rpm -q hello upper ground")).output).toBe(
      "hello-2.0-1.noarch\nupper-1.0-1.noarch\nground-1.0-1.noarch\n",
    );
  });

  test("names a package that is not found, in check mode and in the run", async () => {
    for (const mode of ["check", "apply"] as const) {
      const [end] = await host[mode](pkg({ name: ["gate", "nosuch"] }));
      expect(end?.error).toMatchObject({ code: "E_REFUSED", failure: { what: expect.stringContaining("nosuch") } });
    }
    await root.sh(empty);
    const [end] = await host.apply(pkg({ name: ["gate", "nosuch"] }));
    expect(end?.error?.failure.current).toBe("exit code 104");
    expect(end?.error?.failure.details?.at(-1)).toContain(`no package named nosuch is in the index of ${manager}`);
  });

  test("accepts a name that an installed package provides", async () => {
    expect(await converge(host, pkg({ name: "doorway" }))).toEqual(changed);
    expect((await host.apply(pkg({ name: "doorway" })))[0]?.notes).toEqual(["doorway is provided by gate"]);
  });

  test("changes to an exact version, by downgrade and upgrade, and to the latest version", async () => {
    expect(await converge(host, pkg({ name: "hello", version: "1.0-1" }))).toEqual(changed);
    expect((await root.sh("cat /usr/share/hello/version")).output).toBe("1.0\n");
    expect(await converge(host, pkg({ name: "hello", version: "2.0-1" }))).toEqual(changed);
    expect(await converge(host, pkg({ name: "hello", version: "1.0-1" }))).toEqual(changed);
    const [end] = await host.check(pkg({ name: "hello", version: "3.0-1" }));
    expect(end?.error?.failure.what).toBe("version 3.0-1 of hello is not in the host's package index");
    expect(await converge(host, pkg({ name: ["hello", "gate"], state: "latest" }))).toEqual({
      checked: ["ok", "changed"],
      ran: ["ok", "changed"],
    });
    expect((await root.sh("cat /usr/share/hello/version")).output).toBe("2.0\n");
  });

  test("removes packages, and refuses to remove those that others need unless told to", async () => {
    const [end] = await host.check(pkg({ name: "ground", state: "absent" }));
    expect(end?.error?.failure).toMatchObject({ current: "upper" });
    expect(await converge(host, pkg({ name: "ground", state: "absent", dependents: true }))).toEqual(changed);
    expect((await root.sh("rpm -q upper")).code).toBe(1);
  });

  test("marks a requested package as explicitly installed if an earlier task installs it as a dependency, in check mode too", async () => {
    const [first] = await host.check(pkg({ name: "upper" }));
    expect(first?.notes).toEqual([expect.stringMatching(/^also installs ground/) as string]);
    const nodes = [pkg({ name: "upper" }), file({ path: "/tmp/between", content: "x" }), pkg({ name: "ground" })];
    expect(await converge(host, ...nodes)).toEqual({
      checked: ["changed", "changed", "changed"],
      ran: ["changed", "changed", "changed"],
    });
    await root.sh("rm /tmp/between");
    expect(outcomes(await host.apply(pkg({ name: "upper", state: "absent" })))).toEqual(["changed"]);
    expect((await root.sh("rpm -q ground")).code).toBe(0);
    expect(await converge(host, pkg({ name: "ground", state: "absent" }))).toEqual(changed);
  });

  test("keeps a dependency when the package that needed it is removed", async () => {
    expect(await converge(host, pkg({ name: "upper" }))).toEqual(changed);
    expect(await converge(host, pkg({ name: "upper", state: "absent" }))).toEqual(changed);
    expect((await root.sh("rpm -q ground")).code).toBe(0);
    expect(await converge(host, pkg({ name: "ground", state: "absent" }))).toEqual(changed);
  });

  test("finishes an upgrade that was interrupted before the old version was removed", async () => {
    const [older, newer] = ["1.0", "2.0"].map((version) => `/srv/rpm/hello-${version}-1.noarch.rpm`);
    await root.sh(`rpm -e --nodeps hello; rpm -i --nodeps ${older}; rpm -i --nodeps --justdb --force ${newer}`);
    expect((await root.sh("rpm -q hello")).output).toContain("hello-1.0-1.noarch\nhello-2.0-1.noarch");
    expect(await converge(host, pkg({ name: "hello" }))).toEqual(changed);
    expect((await root.sh("rpm -q hello; cat /usr/share/hello/version")).output).toBe("hello-2.0-1.noarch\n2.0\n");
    await root.sh(`rpm -i --nodeps --justdb --force ${older}`);
    expect(await converge(host, pkg({ name: "hello", state: "absent" }))).toEqual(changed);
    expect((await root.sh("rpm -q hello")).code).toBe(1);
  });

  test("fetches an old index", async () => {
    expect(outcomes(await host.check(packageIndex({})))).toEqual(["ok"]);
    await root.sh(age);
    expect(await converge(host, packageIndex({}))).toEqual(changed);
  });

  test("fails if dependencies cannot be met", async () => {
    const [end] = await host.apply(pkg({ name: "torn" }));
    expect(end?.error?.code).toBe("E_REFUSED");
    expect(end?.error?.failure.current).toContain("nothing provides nowhere");
    expect(outcomes(await host.check(pkg({ name: "torn" })))).toEqual(["failed"]);
  });

  test("leaves a package installed if its script fails", async () => {
    const [end] = await host.apply(pkg({ name: "broken" }));
    expect(end).toMatchObject({ outcome: "changed" });
    expect(end?.notes).toEqual(
      manager === "dnf" ? [] : ["installed, but a package script failed: see zypper's output"],
    );
  });

  test("waits for the lock, but gives up after the deadline and names the process that holds it", async () => {
    await root.sh(
      `touch /run/slow; (${install} slow >/dev/null 2>&1 &); while [ ! -e /run/slow.started ]; do sleep 0.1; done`,
    );
    const checked = await host.check(pkg({ name: "ground" }));
    expect(outcomes(checked)).toEqual(["changed"]);
    const [end] = await host.apply(pkg({ name: "ground", waitSeconds: 2 }));
    expect(end?.error?.failure.current).toBe("exit code 75");
    expect(end?.error?.failure.details?.at(-1)).toMatch(
      /^gave up after 2 s: the package database is in use by process \d+ \(.+ slow\)$/,
    );
    const waiting = host.apply(pkg({ name: "ground" }));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await root.sh("rm /run/slow");
    expect(outcomes(await waiting)).toEqual(["changed"]);
  });
});

describe("package with zypper only", () => {
  let root: PackageRoot;
  let host: TaskHost;

  beforeAll(async () => {
    root = await openPackageRoot("opensuse-leap");
    host = taskHost([...root.enter, "sh"]);
    await root.sh(
      "zypper --non-interactive addrepo --no-gpgcheck file:///srv/rpm test; zypper --non-interactive refresh; zypper --non-interactive install shell hello=1.0; touch /var/cache/zypp/raw",
    );
  }, 900_000);
  afterAll(() => root.close());

  test("does not change a locked package", async () => {
    await root.sh("zypper addlock hello");
    const [end] = await host.check(pkg({ name: "hello", version: "2.0-1" }));
    expect(end?.error?.failure.what).toBe("hello is held at version 1.0-1, but would have to change");
  });

  test("runs in check mode without zypper's lock, and leaves nothing behind", async () => {
    await root.sh("touch /tmp/before; sleep 0.05");
    await host.check(pkg({ name: "ground" }));
    const { output } = await root.sh("find / -xdev -newer /tmp/before -type f; find /run -newer /tmp/before -type f");
    expect(output.split("\n").filter((path) => path !== "" && !/^\/var\/lib\/rpm\/rpmdb.sqlite-/.test(path))).toEqual(
      [],
    );
  });

  test("fetches nothing in check mode from a repository that was never reached, and leaves disabled repositories alone", async () => {
    await root.sh(
      "zypper --non-interactive addrepo --no-gpgcheck http://127.0.0.1:9/ far; zypper --non-interactive addrepo --no-gpgcheck file:///srv/rpm off; zypper --non-interactive refresh off; zypper --non-interactive modifyrepo --disable off test; touch /var/cache/zypp/raw",
    );
    await root.sh("touch /tmp/before; sleep 0.05");
    // The run fetches the index first, and may then find the package.
    expect(outcomes(await host.check(pkg({ name: "ground" })))).toEqual(["undecided"]);
    const { output } = await root.sh("find / -xdev -newer /tmp/before -type f");
    expect(output.split("\n").filter((path) => path !== "" && !path.startsWith("/var/lib/rpm/rpmdb.sqlite-"))).toEqual(
      [],
    );
    await root.sh(
      "zypper --non-interactive modifyrepo --enable test; zypper --non-interactive removerepo far off; touch /var/cache/zypp/raw",
    );
    expect(outcomes(await host.check(pkg({ name: "ground" })))).toEqual(["changed"]);
  });

  test("adds a note about a repository that cannot be reached, and does not fail", async () => {
    await root.sh(
      "zypper --non-interactive addrepo --no-gpgcheck --refresh http://127.0.0.1:9/ gone; touch /var/cache/zypp/raw",
    );
    const [end] = await host.apply(pkg({ name: "gate" }));
    expect(end).toMatchObject({
      outcome: "changed",
      notes: ["installed; zypper could not refresh one of the repositories"],
    });
  });
});
