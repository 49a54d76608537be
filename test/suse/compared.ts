import { suse } from "./packages.ts";
import type { ReliedOn } from "./relied-on.ts";

/**
 * Compares what the roles rely on with the content of SUSE's packages. Returns each mismatch as a sentence. @param
 * version of the operating system: `15.6`
 */
export function misfits(needs: ReliedOn, version: string): string[] {
  const named = new Map(suse.packages.map((one) => [one.name, one]));
  const known = (part: "units" | "users" | "files"): Set<string> =>
    new Set(suse.packages.flatMap((one) => one[part] ?? []));
  const installed = new Set(needs.packages);
  for (const name of installed) for (const other of named.get(name)?.requires ?? []) installed.add(other);
  // Monolithic libvirt is in a package that SUSE's `libvirt` required until modular daemons became the default.
  if (Number.parseFloat(version) < 15.6) installed.add("libvirt-daemon");
  const missing = (["units", "users", "files"] as const).flatMap((part) =>
    needs[part].flatMap((name) => {
      if (!known(part).has(name)) return [`no package has ${name} (${part})`];
      const owners = suse.packages.filter((one) => one[part]?.includes(name));
      return owners.some((one) => installed.has(one.name)) ? [] : [`no role installs the package of ${name}`];
    }),
  );
  return [
    ...needs.packages.flatMap((name) => (named.has(name) ? [] : [`there is no package ${name}`])),
    ...missing,
    ...needs.lookedFor.flatMap((name) =>
      known("units").has(name) || known("files").has(name) ? [] : [`no package has ${name}, which the roles look for`],
    ),
    ...Object.entries(needs.owners).flatMap(([path, name]) =>
      named.get(name)?.files?.includes(path) === true ? [] : [`the package ${name} has no file ${path}`],
    ),
  ];
}
