import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { converge, outcomes } from "../../test/packages/converge.ts";
import { repositoryOf } from "../../test/packages/debs.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { pkg } from "./package.ts";

const changed = { checked: ["changed"], ran: ["changed"] };
const fields = ["Multi-Arch: same", "Provides: pair"];
let root: PackageRoot;
let host: TaskHost;
let native: string;

beforeAll(async () => {
  root = await openPackageRoot("debian");
  host = taskHost([...root.enter, "sh"]);
  native = (await root.sh("dpkg --print-architecture")).output.trim();
  await root.sh("dpkg --add-architecture i386");
  await repositoryOf(root, "/srv/test", [
    { name: "two", fields, architecture: "native" },
    { name: "two", fields, architecture: "foreign" },
    { name: "any" },
    { name: "any", version: "2.0" },
  ]);
  await root.sh(
    "echo 'deb [trusted=yes] file:/srv/test ./' >/etc/apt/sources.list; apt-get update; touch /var/lib/apt/lists",
  );
}, 900_000);
afterAll(() => root.close());

describe("a package that is installed only for a foreign architecture", () => {
  const onlyForeign = "apt-get -y purge two two:i386; apt-get -y install two:i386";
  const installed = async (): Promise<string> =>
    (await root.sh("dpkg-query -W -f='${Architecture}=${db:Status-Abbrev}\\n' two | sort")).output;

  test.each([{}, { state: "latest" as const }, { version: "1.0" }])(
    "is installed for the host's own architecture too: %j",
    async (more) => {
      await root.sh(onlyForeign);
      const name = "two";
      const ends = await host.check(pkg({ name, ...more }));
      expect(outcomes(ends).at(-1)).toBe("changed");
      expect(outcomes(await host.apply(pkg({ name, ...more }))).at(-1)).toBe("changed");
      expect(await installed()).toBe(`${native}=ii \ni386=ii \n`);
      expect(outcomes(await host.apply(pkg({ name, ...more }))).at(-1)).toBe("ok");
    },
  );

  test("does not count as a package that provides a name", async () => {
    await root.sh(onlyForeign);
    expect(await converge(host, pkg({ name: "pair" }))).toEqual(changed);
    expect(await installed()).toBe(`${native}=ii \ni386=ii \n`);
  });

  test("is left alone by a task that removes the package of the host's own architecture", async () => {
    await root.sh(onlyForeign);
    expect(outcomes(await host.apply(pkg({ name: "two", state: "absent" })))).toEqual(["ok"]);
    await root.sh("apt-get -y install two");
    expect(await converge(host, pkg({ name: "two", state: "absent" }))).toEqual(changed);
    expect(await installed()).toBe("i386=ii \n");
    expect(await converge(host, pkg({ name: "two:i386", state: "absent" }))).toEqual(changed);
    expect(await converge(host, pkg({ name: "two:i386" }))).toEqual(changed);
  });
});

describe("a package for all architectures that is named with the host's own architecture", () => {
  test("is installed, updated, marked and removed", async () => {
    const name = `any:${native}`;
    expect(await converge(host, pkg({ name, version: "1.0" }))).toEqual(changed);
    expect(outcomes(await host.apply(pkg({ name, state: "latest" })))).toEqual(["ok", "changed"]);
    expect((await root.sh("dpkg-query -W -f='${Version}' any")).output).toBe("2.0");
    const transactions = "grep -c '^Start-Date' /var/log/apt/history.log";
    const before = (await root.sh(transactions)).output;
    await root.sh("apt-mark auto any");
    expect(await converge(host, pkg({ name }))).toEqual(changed);
    expect((await root.sh(transactions)).output).toBe(before);
    expect(outcomes(await host.apply(pkg({ name: "any" }), pkg({ name: "any:all" })))).toEqual(["ok", "ok"]);
    expect(await converge(host, pkg({ name, state: "absent" }))).toEqual(changed);
  });
});
