import { suse, type SusePackage } from "./packages.ts";

/**
 * Builds an rpm for each spec in /tmp/suse and creates a repository from them. A package without scriptlets needs only
 * rpmbuild in the root.
 */
const build = String.raw`
mkdir -p /srv/suse
for spec in /tmp/suse/*.spec; do
  rpmbuild --quiet --define '_topdir /tmp/suse' --define '_build_id_links none' -bb "$spec" >/tmp/suse/log 2>&1 || { cat /tmp/suse/log; exit 1; }
done
cp /tmp/suse/RPMS/noarch/*.rpm /srv/suse && createrepo_c -q /srv/suse &&
zypper --non-interactive addrepo --no-gpgcheck file:///srv/suse suse`;

/**
 * Returns a script that builds the packages in the data, with their files and units, and registers them with zypper.
 */
export function repositoryScript(packages: readonly SusePackage[] = suse.packages): string {
  const specs = packages.map((one) => `cat >/tmp/suse/${one.name}.spec <<'EOF'\n${specOf(one)}\nEOF`);
  return ["mkdir -p /tmp/suse", ...specs, build].join("\n");
}

/** The spec of a package with the files and units that the data lists; each file contains the package's name. */
function specOf({ name, requires = [], provides = [], files = [], units = [], users = [] }: SusePackage): string {
  const paths = [
    // Files below /run are created by a unit.
    ...files.filter((path) => !path.startsWith("/run/")),
    ...units.map((unit) => `/usr/lib/systemd/system/${unit}`),
    ...users.map((user) => `/usr/lib/sysusers.d/${user}.conf`),
  ];
  return [
    `Name: ${name}`,
    "Version: 1.0\nRelease: 1\nSummary: test\nLicense: MIT\nBuildArch: noarch",
    ...requires.map((other) => `Requires: ${other}`),
    ...provides.map((other) => `Provides: ${other}`),
    "%description\ntest\n%install",
    ...paths.map((path) => `mkdir -p %{buildroot}$(dirname ${path}); echo ${name} >%{buildroot}${path}`),
    "%files",
    ...paths,
  ].join("\n");
}
