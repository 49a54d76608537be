import { afterAll, beforeAll, expect, test } from "vitest";
import { clusterSchema } from "../../roles/cluster/cluster.ts";
import { hostPackages } from "../../roles/host-packages/role.ts";
import type { Group, Node } from "../../src/core/authoring/group.ts";
import { converge } from "../packages/converge.ts";
import { openPackageRoot, type PackageRoot } from "../packages/root.ts";
import { hostWith, reliedOn } from "../suse/relied-on.ts";
import { repositoryScript } from "../suse/rpms.ts";
import { suse } from "../suse/packages.ts";
import { taskHost, type TaskHost } from "../tasks/on-host.ts";

// The repository contains only packages that SUSE's own files describe, so zypper finds no package for a wrong
// name in furrow's lists.
let root: PackageRoot;
let host: TaskHost;
beforeAll(async () => {
  root = await openPackageRoot("opensuse-leap");
  host = taskHost([...root.enter, "sh"]);
  const { code, output } = await root.sh(repositoryScript());
  if (code !== 0) throw new Error(`the repository was not created: ${output}`);
});
afterAll(() => root.close());

const facts = hostWith("opensuse-leap", "15.6");
const given = { disks: ["/dev/a"], token: "t", password: "p" };
/** The task of the role that installs packages. */
function packagesIn({ children }: Group): Node {
  return children.find(
    (node) => typeof node === "object" && node !== null && "module" in node && node.module.card.name === "package",
  );
}

/** The role's package tasks. Services are left out, because the package root has no systemd to start them. */
function packagesOf(more: object = {}): Node {
  return packagesIn(hostPackages({ facts, cluster: clusterSchema.parse({ ...given, ...more }) }));
}

test("zypper installs all packages that a cluster needs on SUSE in a single transaction, and only once", async () => {
  const everything = packagesOf({ airGap: {} });
  expect(await converge(host, everything)).toEqual({ checked: ["changed"], ran: ["changed"] });
  const history = await root.sh("grep -c '|command|.*install' /var/log/zypp/history");
  expect(history.output).toBe("1\n");
});

test("the installed packages provide every file, unit and user that the roles rely on", async () => {
  const { files, units, users } = reliedOn(facts);
  const paths = [
    ...files.filter((path) => !path.startsWith("/run/")),
    ...units.map((unit) => `/usr/lib/systemd/system/${unit}`),
    ...users.map((user) => `/usr/lib/sysusers.d/${user}.conf`),
  ];
  const { output } = await root.sh('for path; do rpm -qf --qf "%{name}\\n" "$path"; done', ...paths);
  expect(output.split("\n").filter((line) => line.includes("not owned") || line.includes("No such"))).toEqual([]);
  const owners = output.trim().split("\n");
  expect(owners).toHaveLength(paths.length);
  expect(owners.filter((name) => !suse.packages.some((one) => one.name === name))).toEqual([]);
});

test("check mode and a run both name a package that SUSE does not have", async () => {
  const debian = { ...facts, os: { id: "debian", version: "12", like: ["debian"] } };
  const wrong = { facts: debian, cluster: clusterSchema.parse(given) };
  for (const mode of ["check", "apply"] as const) {
    const [end] = await host[mode](packagesIn(hostPackages(wrong)));
    expect(end?.error?.failure.what).toMatch(/libvirt-daemon-system|nginx-light/);
  }
});
