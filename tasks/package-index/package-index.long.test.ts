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
  await root.sh("echo 'deb [trusted=yes] file:/srv/a ./' >/etc/apt/sources.list; apt-get update");
}, 300_000);
afterAll(() => root.close());

describe("a package index of which only a part could be fetched", () => {
  test("is fetched again by the next run, for packageIndex and for packageRepo", async () => {
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

  test("a source that breaks apt is taken out again", async () => {
    const uris = ["file:///srv/a"];
    const [end] = await host.apply(
      packageRepo({ manager: "apt", name: "breaks", uris, suites: ["./"], trusted: false, key }),
    );
    expect(end?.error?.code).toBe("E_STEP");
    expect((await root.sh("ls /etc/apt/sources.list.d/breaks.sources")).code).not.toBe(0);
    expect((await root.sh("apt-get check")).code).toBe(0);
  });

  test("a date in the future is no proof that it is fresh", async () => {
    await root.sh("touch -d '3 days' /var/lib/apt/lists");
    expect(outcomes(await host.check(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["changed"]);
    expect(outcomes(await host.apply(packageIndex({})))).toEqual(["ok"]);
  });
});
