import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { outcomes } from "../../test/packages/converge.ts";
import { publicKey } from "../../test/packages/key.ts";
import { repositoryOf } from "../../test/packages/debs.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { packageRepo } from "../package-repo/package-repo.ts";
import { packageIndex } from "./package-index.ts";

const key = { content: publicKey };
let root: PackageRoot;
let host: TaskHost;

beforeAll(async () => {
  root = await openPackageRoot("debian");
  host = taskHost([...root.enter, "sh"]);
  await repositoryOf(root, "/srv/a", [{ name: "first" }]);
  await root.sh("echo 'Acquire::Retries 0;' >/etc/apt/apt.conf.d/zz-once");
  await root.sh("echo 'deb [trusted=yes] file:/srv/a ./' >/etc/apt/sources.list; apt-get update");
}, 900_000);
afterAll(() => root.close());

describe("a package index that furrow fetched only partially", () => {
  test("is fetched again by the next run of packageIndex or packageRepo", async () => {
    const nodes = [
      packageRepo({ manager: "apt", name: "b", uris: ["file:///srv/b"], suites: ["./"], trusted: true }),
      packageIndex({}),
    ];
    for (const name of ["second", "third"]) {
      await repositoryOf(root, "/srv/a", [{ name }]);
      const [end] = await host.apply(...nodes);
      expect(end?.error?.code).toBe("E_STEP");
    }
    await root.sh("echo 'deb [trusted=yes] file:/srv/b ./' >/etc/apt/sources.list.d/b.list");
    for (const name of ["fourth", "fifth"]) {
      await repositoryOf(root, "/srv/a", [{ name }]);
      expect(outcomes(await host.apply(packageIndex({})))).toEqual(["failed"]);
    }
    await root.sh("rm /etc/apt/sources.list.d/b.list");
    await repositoryOf(root, "/srv/b", [{ name: "wanted" }]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["changed", "ok"]);
    expect((await root.sh("apt-cache policy wanted")).output).toContain("Candidate: 1.0");
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "ok"]);
  });

  test("no longer has the source that broke apt", async () => {
    const uris = ["file:///srv/a"];
    const [end] = await host.apply(
      packageRepo({ manager: "apt", name: "breaks", uris, suites: ["./"], trusted: false, key }),
    );
    expect(end?.error?.code).toBe("E_STEP");
    expect((await root.sh("ls /etc/apt/sources.list.d/breaks.sources")).code).not.toBe(0);
    expect((await root.sh("apt-get check")).code).toBe(0);
  });

  test("is not fresh if its date is in the future", async () => {
    await root.sh("touch -d '3 days' /var/lib/apt/lists");
    expect(outcomes(await host.check(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["ok"]);
    await root.sh("touch -d '3 days' /var/lib/apt/lists /var/lib/furrow/index/apt");
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["ok"]);
  });
});

describe("a package index that another program fetched only partially", () => {
  const served = "cd /srv/b && exec python3 -m http.server 8077 --bind 127.0.0.1";
  const lists = "deb [trusted=yes] file:/srv/a ./\\ndeb [trusted=yes] http://127.0.0.1:8077 ./\\n";
  const serve = (): Promise<unknown> =>
    root.sh(
      `(${served}) >/dev/null 2>&1 & echo $! >/run/served; until python3 -c 'import urllib.request as u; u.urlopen("http://127.0.0.1:8077")' 2>/dev/null; do sleep 0.1; done`,
    );
  const stop = (): Promise<unknown> => root.sh("kill $(cat /run/served)");
  /**
   * A ctime cannot be set to a time in the past, so in this root a replacement for `stat` reports the second
   * repository's files as two days old.
   */
  const twoDaysAgo = `#!/bin/sh
case $* in '-c %Z %Y '*8077*) /usr/bin/stat "$@" | awk '{ print $1 - 172800, $2 - 172800 }';; *) exec /usr/bin/stat "$@";; esac
`;

  test("is not fresh if a repository was never fetched", async () => {
    await root.sh(`rm -rf /var/lib/furrow /var/lib/apt/lists/*; printf '${lists}' >/etc/apt/sources.list; sleep 1`);
    await root.sh("apt-get update");
    expect((await root.sh("apt-cache policy fifth")).output).toContain("Candidate: 1.0");
    expect(outcomes(await host.check(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["failed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["failed"]);
    await serve();
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["ok"]);
    await stop();
  });

  test("is as old as its oldest repository if that repository could not be fetched again", async () => {
    await root.sh("find /etc/apt/sources.list* -exec touch -d '3 days ago' {} +");
    await root.sh("touch -d '2 days ago' /var/lib/apt/lists /var/lib/furrow/index/apt; sleep 1");
    await root.sh(`printf '%s' "$1" >/usr/local/bin/stat; chmod 755 /usr/local/bin/stat`, twoDaysAgo);
    await repositoryOf(root, "/srv/a", [{ name: "sixth" }]);
    await root.sh("apt-get update");
    expect((await root.sh("apt-cache policy sixth")).output).toContain("Candidate: 1.0");
    expect(outcomes(await host.check(packageIndex({ maxAgeSeconds: 86_400 })))).toEqual(["changed"]);
    expect(outcomes(await host.check(packageIndex({ maxAgeSeconds: 259_200 })))).toEqual(["ok"]);
    await root.sh("rm /usr/local/bin/stat");
  });

  test("is fresh if all repositories were fetched", async () => {
    await root.sh("rm -rf /var/lib/furrow /var/lib/apt/lists/*");
    await serve();
    await root.sh("apt-get update");
    await stop();
    expect(outcomes(await host.check(packageIndex({})))).toEqual(["ok"]);
  });

  test("is not fresh after a new source list was installed with an old date", async () => {
    await serve();
    expect(outcomes(await host.apply(packageIndex({ maxAgeSeconds: 60 })))).toEqual([expect.any(String) as string]);
    await root.sh("cp -p /etc/apt/sources.list /run/list; rm -rf /srv/c; cp -a /srv/b /srv/c");
    await root.sh("echo 'deb [trusted=yes] file:/srv/c ./' >>/run/list; touch -d '9 days ago' /run/list");
    await root.sh("cp -p /run/list /etc/apt/sources.list");
    expect(outcomes(await host.check(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["ok"]);
    await stop();
  });
});

describe.each([
  {
    manager: "zypper",
    id: "opensuse-leap",
    add: (alias: string) => `zypper --non-interactive addrepo --no-gpgcheck file:///srv/${alias} ${alias}`,
    fetch: "zypper --non-interactive refresh",
    others: "zypper --non-interactive refresh rpm",
  },
  {
    manager: "dnf",
    id: "fedora",
    add: (alias: string) =>
      `mkdir -p /etc/yum.repos.d; printf '[${alias}]\\nname=x\\nbaseurl=file:///srv/${alias}\\ngpgcheck=0\\n' >/etc/yum.repos.d/${alias}.repo`,
    fetch: "dnf makecache",
    others: "dnf --disablerepo=late makecache --refresh",
  },
] as const)("the package index of $manager", ({ id, add, fetch, others }) => {
  let one: PackageRoot;
  let there: TaskHost;
  beforeAll(async () => {
    one = await openPackageRoot(id);
    there = taskHost([...one.enter, "sh"]);
  }, 900_000);
  afterAll(() => one.close());

  test("is not fresh if a repository was never fetched, even if another program fetches the rest", async () => {
    await one.sh(`${add("rpm")}; ${fetch}; ${add("late")}; sleep 1; ${others}`);
    expect(outcomes(await there.check(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await there.apply(packageIndex({})))).toEqual(["failed"]);
    await one.sh(others);
    expect(outcomes(await there.apply(packageIndex({})))).toEqual(["failed"]);
    await one.sh("cp -a /srv/rpm /srv/late");
    expect(outcomes(await there.apply(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await there.apply(packageIndex({})))).toEqual(["ok"]);
  });

  test("is fresh if another program has fetched all repositories", async () => {
    await one.sh(`rm -rf /var/lib/furrow /var/cache/zypp /var/cache/dnf; ${fetch}`);
    expect(outcomes(await there.check(packageIndex({})))).toEqual(["ok"]);
  });
});
