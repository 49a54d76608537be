import { staysOverBoot } from "../../core/facts/boot.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";

/** The package managers that furrow supports. */
export const managers = ["apt", "zypper", "dnf", "pacman"] as const;

/** One of the package managers that furrow supports. */
export type ManagerName = (typeof managers)[number];

/** A host's package manager. */
export interface Manager {
  readonly name: ManagerName;
}

/** Asks which package manager the host uses. */
export function packageManager(): HostFact<Absent | Manager> {
  return ask(packageManagerKind, "host");
}

/**
 * Shell text that sets `m` to the host's package manager, or leaves it empty. The distribution's own manager is
 * preferred, because others may be installed as well; os-release(5) identifies the distribution with ID and ID_LIKE.
 * Debian has a game named `pacman`, so pacman is recognized only if it has a configuration file.
 */
export const findManager = `m=
o=$(. /etc/os-release 2>/dev/null; echo "$ID $ID_LIKE")
case " $o " in
*suse*|*" sles "*) o='zypper dnf apt-get pacman';;
*fedora*|*rhel*|*centos*) o='dnf zypper apt-get pacman';;
*" arch "*) o='pacman apt-get zypper dnf';;
*) o='apt-get zypper dnf pacman';;
esac
for c in $o; do
[ $c != pacman ] || [ -e /etc/pacman.conf ] || continue
command -v $c >/dev/null 2>&1 && { m=\${c%-get}; break; }
done`;

/** The host's package manager: one fact per host. */
export const packageManagerKind = defineKind<Absent | Manager>({
  name: "packageManager",
  afterBoot: staysOverBoot,
  summary: "The package manager of a host: apt, zypper, dnf or pacman",
  facets: {},
  read: (questions) => `${findManager}
for n in ${questions.map(({ number }) => number).join(" ")}; do echo "$n name=$m"; done`,
  parse: (lines) => (lines["name"] ? { name: lines["name"] as ManagerName } : absent),
  print: (value) => ({ name: value === absent ? "" : value.name }),
});
