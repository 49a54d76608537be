import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { converge } from "../../test/packages/converge.ts";
import { repositoryOf } from "../../test/packages/debs.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { pkg } from "./package.ts";

let root: PackageRoot;
let host: TaskHost;
/** Kills dpkg from inside one of the package's scripts, as a power failure would. */
const cut = (script: string): string =>
  `[ ! -e /run/cut.${script} ] || { rm /run/cut.${script}; kill -9 $PPID; sleep 1; }`;

beforeAll(async () => {
  root = await openPackageRoot("debian");
  host = taskHost([...root.enter, "sh"]);
  const scripts = { preinst: cut("preinst"), postinst: cut("postinst"), prerm: cut("prerm") };
  await repositoryOf(root, "/srv/cut", [
    { name: "cut", version: "1.0", ...scripts },
    { name: "cut", version: "2.0", ...scripts },
  ]);
  await root.sh(
    "echo 'deb [trusted=yes] file:/srv/cut ./' >/etc/apt/sources.list; apt-get update; touch /var/lib/apt/lists",
  );
}, 900_000);
afterAll(() => root.close());

describe("a package whose installation was interrupted by a power failure", () => {
  test.each([
    { where: "the preinst of a fresh install", before: "true", act: "install cut", script: "preinst" },
    { where: "the postinst of a fresh install", before: "true", act: "install cut", script: "postinst" },
    {
      where: "the preinst of an upgrade",
      before: "apt-get -y install cut=1.0",
      act: "install cut=2.0",
      script: "preinst",
    },
    { where: "the prerm of an upgrade", before: "apt-get -y install cut=1.0", act: "install cut=2.0", script: "prerm" },
    {
      where: "the postinst of an upgrade",
      before: "apt-get -y install cut=1.0",
      act: "install cut=2.0",
      script: "postinst",
    },
    { where: "the prerm of a removal", before: "apt-get -y install cut=2.0", act: "remove cut", script: "prerm" },
    { where: "the unpacking", before: "true", act: "unpack", script: "none" },
  ])("converges on the next run if it was interrupted in $where", async ({ before, act, script }) => {
    await root.sh("rm -f /run/cut.*; dpkg -P --force-all cut; true");
    await root.sh(before);
    await root.sh(
      act === "unpack"
        ? "dpkg --unpack /srv/cut/cut_2.0_all.deb"
        : `touch /run/cut.${script}; apt-get -y ${act}; rm -f /run/cut.*; sleep 0.2`,
    );
    const state = (await root.sh("dpkg-query -W -f='${db:Status-Abbrev}' cut; ls /var/lib/dpkg/updates")).output;
    expect(state, "the interruption left the package half-installed").not.toBe("ii ");
    expect((await converge(host, pkg({ name: "cut", version: "2.0" }))).ran).toEqual(["changed"]);
    expect((await root.sh("dpkg --audit; dpkg-query -W -f='${db:Status-Abbrev}' cut")).output).toBe("ii ");
  });
});
