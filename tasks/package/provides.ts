import type { FactPattern } from "../../src/authoring.ts";
import { namesOf, type PackageParams } from "./params.ts";

/**
 * What the scripts of packages, and of those they need, may bring about before a later task asks for it. Other packages
 * are not among it: the package manager itself says what comes along. What a package puts elsewhere the author says in `provides`.
 */
export function providedFacts(p: PackageParams): readonly FactPattern[] {
  const own = namesOf(p);
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
