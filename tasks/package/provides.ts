import type { FactPattern } from "../../src/authoring.ts";
import type { PackagePlan } from "../../src/facts/catalogue.ts";
import { namesOf, type PackageParams } from "./params.ts";

/**
 * Returns the facts that a package's install scripts, or those of its dependencies, may have changed by the time a
 * later task reads them. In check mode, the dependencies are known if the package manager was asked. Other places to
 * which a package writes must be listed in `provides`.
 */
export function providedFacts(p: PackageParams, now?: Readonly<Record<string, unknown>>): readonly FactPattern[] {
  const own = [...new Set([...namesOf(p), ...comingAlong(now)])];
  return [
    "unit:*",
    "user:*",
    "group:*",
    "program:**",
    "rebootNeeded:*",
    "file:/lib/systemd/system/**",
    "file:/usr/**",
    "!file:/usr/local/**",
    ...own.flatMap((name) => [
      `file:/etc/${name}`,
      `file:/etc/${name}/**`,
      `file:/etc/${name}.conf`,
      `file:/etc/default/${name}`,
      `file:/etc/cron.d/${name}`,
      `file:/etc/logrotate.d/${name}`,
      `file:/var/lib/${name}`,
      `file:/var/lib/${name}/**`,
      `file:/var/cache/${name}`,
      `file:/var/log/${name}`,
    ]),
    ...p.provides,
  ];
}

/**
 * Returns the ids of the programs, users and groups that the packages certainly install: programs with the packages'
 * own names, those in {@link programsOf}, and everything that `provides` lists.
 */
export function certainlyProvided(p: PackageParams): readonly string[] {
  if (p.state === "absent") return [];
  const programs = namesOf(p).flatMap((name) => [name, ...(programsOf[name] ?? [])]);
  const named = p.provides.filter((id) => /^(program|user|group):[^*]+$/.test(id));
  return [...programs.map((name) => `program:${name}`), ...named];
}

/** Packages that contain programs with a different name; only for programs that furrow's own tasks use. */
const programsOf: Readonly<Record<string, readonly string[]>> = {
  cron: ["crontab"],
  cronie: ["crond", "crontab"],
  nftables: ["nft"],
  firewalld: ["firewall-cmd"],
  "libvirt-clients": ["virsh"],
  "libvirt-client": ["virsh"],
  libvirt: ["virsh"],
  "xz-utils": ["xz"],
};

/** Returns the names of the packages that the manager would install; empty if its plan is not known. */
function comingAlong(now: Readonly<Record<string, unknown>> | undefined): string[] {
  const plan = now?.["plan"];
  if (typeof plan !== "object" || plan === null) return [];
  const { installs } = plan as Partial<PackagePlan>;
  if (!Array.isArray(installs)) return [];
  return (installs as readonly string[]).map((word) => word.split(/[=:]/, 1)[0] ?? "").filter(Boolean);
}
