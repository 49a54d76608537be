import { afterAll, beforeAll, expect, test } from "vitest";
import { clusterSchema } from "../../roles/cluster/cluster.ts";
import { families } from "../../roles/host-packages/families.ts";
import { hostPackages } from "../../roles/host-packages/role.ts";
import type { HostFacts } from "../../src/authoring.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { converge } from "../packages/converge.ts";
import { openPackageRoot, type PackageRoot } from "../packages/root.ts";
import { taskHost, type TaskHost } from "../tasks/on-host.ts";

/** Builds an empty rpm for each name, creates a repository from them, and registers it with zypper. */
const repository = String.raw`
mkdir -p /srv/suse /tmp/suse
for name; do
  { echo "Name: $name"; printf '%s\n' 'Version: 1.0' 'Release: 1' 'Summary: test' 'License: MIT' 'BuildArch: noarch' %description test %files; } >/tmp/suse/$name.spec
  rpmbuild --quiet --define '_topdir /tmp/suse' -bb /tmp/suse/$name.spec >/dev/null 2>&1 || exit 1
done
cp /tmp/suse/RPMS/noarch/*.rpm /srv/suse && createrepo_c -q /srv/suse &&
zypper --non-interactive addrepo --no-gpgcheck file:///srv/suse leap`;

let root: PackageRoot;
let host: TaskHost;
beforeAll(async () => {
  root = await openPackageRoot("opensuse-leap");
  host = taskHost([...root.enter, "sh"]);
  const { packages, uefi, exposure } = families.suse;
  const { code, output } = await root.sh(repository, ...packages, ...uefi, ...exposure);
  if (code !== 0) throw new Error(`the repository was not created: ${output}`);
});
afterAll(() => root.close());

const facts = { os: { id: "opensuse-leap", version: "15.6", like: ["suse", "opensuse"] } } as unknown as HostFacts;
const given = { disks: ["/dev/a"], token: "t", password: "p" };
/** The role's package tasks. Services are left out, because the root has no systemd to start them. */
function packagesOf(more: object = {}): Node {
  const [packages] = hostPackages({ facts, cluster: clusterSchema.parse({ ...given, ...more }) }).children;
  return packages;
}

test("zypper installs all packages that a cluster needs on SUSE once, in one transaction", async () => {
  expect(await converge(host, packagesOf())).toEqual({ checked: ["changed"], ran: ["changed"] });
  const { packages, uefi, exposure } = families.suse;
  const names = [...packages, ...uefi, ...exposure];
  expect((await root.sh('rpm -q -- "$@"', ...names)).code).toBe(0);
  const history = await root.sh("grep -c '|command|.*install' /var/log/zypp/history");
  expect(history.output).toBe("1\n");
});

test("check mode and a run both name a package that no repository has", async () => {
  for (const mode of ["check", "apply"] as const) {
    const [end] = await host[mode](packagesOf({ airGap: {} }));
    expect(end?.error?.failure.what).toMatch(/nftables|chrony/);
  }
});
