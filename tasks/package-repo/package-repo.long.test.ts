import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { converge, outcomes } from "../../test/packages/converge.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { pkg } from "../package/package.ts";
import { packageIndex } from "../package-index/package-index.ts";
import { packageRepo } from "./package-repo.ts";

vi.setConfig({ testTimeout: 240_000 });
const changed = { checked: ["changed"], ran: ["changed"] };

const setUps = [
  {
    manager: "apt",
    id: "debian",
    repo: { manager: "apt", name: "test", uris: ["file:///srv/deb"], suites: ["./"] },
    moved: { uris: ["file:///srv/moved"] },
    move: "cp -a /srv/deb /srv/moved",
    file: "/etc/apt/sources.list.d/test.sources",
    versionOf: "dpkg-query -W -f='${Version}' hello",
  },
  {
    manager: "zypper",
    id: "opensuse-leap",
    repo: { manager: "zypper", name: "test", url: "file:///srv/rpm" },
    moved: { url: "file:///srv/moved" },
    move: "cp -a /srv/rpm /srv/moved",
    file: "/etc/zypp/repos.d/test.repo",
    versionOf: "rpm -q --qf '%{VERSION}' hello",
  },
  {
    manager: "dnf",
    id: "fedora",
    repo: { manager: "dnf", name: "test", url: "file:///srv/rpm", gpgCheck: false, metadataCheck: true },
    moved: { url: "file:///srv/moved" },
    move: "cp -a /srv/rpm /srv/moved",
    file: "/etc/yum.repos.d/test.repo",
    versionOf: "rpm -q --qf '%{VERSION}' hello",
  },
] as const;

describe.each(setUps)("packageRepo with $manager", ({ manager, id, repo, moved, move, file, versionOf }) => {
  let root: PackageRoot;
  let host: TaskHost;
  let content = "";
  let other = "";

  beforeAll(async () => {
    root = await openPackageRoot(id);
    host = taskHost([...root.enter, "sh"]);
    content = (await root.sh("cat /srv/key.asc")).output;
    other = (await root.sh("cat /srv/other.asc")).output;
  }, 900_000);
  afterAll(() => root.close());

  test("does not use a repository that is not signed with the given key", async () => {
    const [end] = await host.apply(packageRepo({ ...repo, key: { content: other } }));
    expect(end?.error).toMatchObject({
      code: "E_STEP",
      failure: { what: `fetch the package index with ${manager} failed` },
    });
    expect(end?.error?.failure.details?.join(" ")).toMatch(/NO_PUBKEY|[Ss]ignature|GPG/);
    expect(outcomes(await host.check(packageRepo({ ...repo, key: { content: other } })))).toEqual(["changed"]);
  });

  test("makes packages from a new repository with a key installable, and check mode predicts the run", async () => {
    const nodes = [packageRepo({ ...repo, key: { content } }), packageIndex({}), pkg({ name: ["hello"] })];
    const names = manager === "apt" ? nodes : [...nodes.slice(0, 2), pkg({ name: ["shell", "hello"] })];
    // The repository's packages are known only after its index has been fetched. Until then, on a host without any
    // index, any package may exist.
    const { checked, ran } = await converge(host, ...names);
    expect(ran).toEqual(["changed", "ok", "changed"]);
    expect(checked).toEqual(["changed", "ok", expect.stringMatching(/^(changed|undecided)$/) as string]);
    expect((await root.sh(versionOf)).output).toBe("2.0");
  });

  test("changes a repository that moved, and fetches its index again in the next run if the index is outdated", async () => {
    await root.sh(move);
    // The index is fresh before and after the task, and outdated only in between, so a task that reads it afterwards
    // finds it up to date.
    expect(await converge(host, packageRepo({ ...repo, ...moved, key: { content } }), packageIndex({}))).toEqual({
      checked: ["changed", "ok"],
      ran: ["changed", "ok"],
    });
    expect((await root.sh(`cat ${file}`)).output).toContain("file:///srv/moved");
    await root.sh(`sleep 0.1; touch ${file}`);
    expect(await converge(host, packageRepo({ ...repo, ...moved, key: { content } }))).toEqual(changed);
  });

  test("removes a repository together with its key", async () => {
    expect(await converge(host, packageRepo({ manager, name: "test", state: "absent" }))).toEqual(changed);
    expect((await root.sh(`ls ${file} /etc/apt/keyrings/test.asc /etc/pki/rpm-gpg/test.asc`)).output).not.toMatch(
      /^\//m,
    );
  });
});

describe("packageRepo and repositories that others set up", () => {
  let root: PackageRoot;
  let host: TaskHost;

  beforeAll(async () => {
    root = await openPackageRoot("opensuse-leap");
    host = taskHost([...root.enter, "sh"]);
  }, 900_000);
  afterAll(() => root.close());

  test("adopts a repository that zypper added, and when it changes one setting, keeps the others", async () => {
    await root.sh(
      "zypper --non-interactive addrepo --no-gpgcheck --keep-packages file:///srv/rpm test; zypper --non-interactive refresh; sleep 0.1; touch /var/cache/zypp/raw",
    );
    const repo = {
      manager: "zypper",
      name: "test",
      url: "file:///srv/rpm/",
      gpgCheck: false,
      autoRefresh: false,
    } as const;
    expect(outcomes(await host.apply(packageRepo(repo)))).toEqual(["ok"]);
    expect(await converge(host, packageRepo({ ...repo, priority: 20 }))).toEqual(changed);
    const { output } = await root.sh("zypper --non-interactive repos --details; cat /etc/zypp/repos.d/test.repo");
    expect(output).toContain("keeppackages=1");
    expect(output).toMatch(/test .* 20 /);
  });

  test("refuses a repository that shares its file with another", async () => {
    await root.sh(
      "printf '[a]\\nbaseurl=http://127.0.0.1/a\\n[b]\\nbaseurl=http://127.0.0.1/b\\n' >/etc/zypp/repos.d/two.repo",
    );
    const [end] = await host.check(packageRepo({ manager: "zypper", name: "a", url: "http://127.0.0.1/c" }));
    expect(end?.error?.failure.what).toContain("/etc/zypp/repos.d/two.repo");
  });
});
