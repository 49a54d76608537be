import { staysOverBoot } from "../../core/facts/boot.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { packageKey } from "./package.ts";
import { findManager, type ManagerName } from "./packaging.ts";

/** The installed packages that would be removed with a package. */
export interface PackageDependents {
  /** The names, sorted; the package itself is not included. */
  readonly packages: readonly string[];
}

/**
 * Asks what would be removed together with a package. The package manager simulates the removal without taking a lock.
 */
export function packageDependents(name: string, manager?: ManagerName): HostFact<PackageDependents> {
  return ask(packageDependentsKind, packageKey(name, manager));
}

/**
 * The dependents of packages. apt and pacman list everything that would be removed; rpm lists only the packages that
 * need the package directly.
 */
export const packageDependentsKind = defineKind<PackageDependents>({
  name: "packageDependents",
  afterBoot: staysOverBoot,
  summary: "The installed packages that need a package and would be removed with it",
  facets: {},
  deadlineSeconds: 60,
  read: (questions) => `${findManager}
h=$m
for x in ${questions.map(({ number, key }) => shellQuote(`${number}:${key}`)).join(" ")}; do
n=\${x%%:*} x=\${x#*:} m=$h
case $x in */*) m=\${x%%/*} x=\${x#*/};; esac
case $m in
apt) y=$x; x=\${x%:"$(dpkg --print-architecture)"}; l=$(apt-get -s -q -o Debug::NoLocking=1 -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Dir::Log::Planner= --ignore-hold remove -- "$y" 2>/dev/null | sed -n 's/^Remv \\([^ ]*\\) .*/\\1/p');;
zypper|dnf) l=$(rpm -e --test -- "$x" 2>&1 | sed -n 's/.* is needed by (installed) \\(.*\\)$/\\1/p' | sed 's/-[^-]*-[^-]*$//');;
pacman) l=$(pacman -Rc --print --print-format %n -- "$x" 2>/dev/null);;
*) echo "$n !the host has no package manager"; continue;;
esac
echo "$n packages="$(printf '%s\\n' "$l" | grep -vxF -e "$x" -e '' | sort -u)
done`,
  parse: (lines) => ({ packages: (lines["packages"] ?? "").split(" ").filter(Boolean) }),
  print: (value) => ({ packages: value.packages.join(" ") }),
});
