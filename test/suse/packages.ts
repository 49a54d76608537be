import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A file in which someone other than furrow describes SUSE's packages. */
const source = z.strictObject({
  product: z.enum([
    "openSUSE Leap 15.6",
    "SLES 15",
    "SLES 15 SP4",
    "SLES 15 SP6",
    "SLES 15 SP7",
    // The packages of Leap and SLES come from the same sources, at different times.
    "openSUSE Factory",
    "AppArmor",
    "SUSE cloud-regionsrv-client",
    "libvirt",
    // SUSE's installer, and a scanner for vulnerabilities, which knows the os-release of its targets.
    "Agama",
    "Clair",
    // This is not a file from SUSE, so it is the weakest source.
    "news",
  ]),
  url: z.url(),
  version: z.string().min(1),
});

const path = z.string().regex(/^\/[^*%{}]+$/, "an absolute path, with all macros expanded");
const unit = z.string().regex(/^[\w@-]+\.(service|socket)$/, "the name of a unit, with its suffix");
const word = z.string().regex(/^[a-z][\w.+-]*$/);

/** The parts of an entry, each of which names its own sources. */
const parts = {
  /** Only the requirements that this file also describes; a real package has more. */
  requires: z.array(word).min(1).optional(),
  provides: z.array(word).min(1).optional(),
  /** Only files that the roles or their checks rely on. */
  files: z.array(path).min(1).optional(),
  units: z.array(unit).min(1).optional(),
  users: z.array(word).min(1).optional(),
};

const entry = z
  .strictObject({
    name: word,
    ...parts,
    sources: z.strictObject({
      name: z.array(z.string()).min(1),
      ...Object.fromEntries(Object.keys(parts).map((part) => [part, z.array(z.string()).min(1).optional()])),
    }),
  })
  .superRefine((value, context) => {
    const cited = value.sources as Readonly<Record<string, readonly string[] | undefined>>;
    for (const part of Object.keys(parts) as (keyof typeof parts)[]) {
      if ((value[part] === undefined) === (cited[part] === undefined)) continue;
      const message = value[part] === undefined ? `\`${part}\`, because sources for it are given` : `a source`;
      context.addIssue({ code: "custom", path: ["sources", part], message });
    }
  });

const cited = z.array(z.string()).min(1);

/** The properties by which the roles distinguish one product from another. */
const system = z.strictObject({
  id: word,
  version: z.string().regex(/^\d+\.\d+$/),
  like: z.array(word).min(1),
  confinement: z.enum(["apparmor", "selinux"]),
  sources: z.strictObject({ like: cited, confinement: cited }),
});

/** A list in a configuration file that the roles depend on. */
const configuration = z.strictObject({
  name: z.enum([
    "directories that AppArmor's profile of dnsmasq allows for TFTP",
    "services that the zone libvirt allows",
  ]),
  values: z.array(z.string().min(1)).min(1),
  sources: cited,
});

/** The shape of packages.json. Every part of every entry names the sources in which it was read. */
export const susePackagesSchema = z
  .strictObject({
    sources: z.record(z.string(), source),
    packages: z.array(entry).min(1),
    systems: z.array(system).min(1),
    configuration: z.array(configuration).min(1),
  })
  .superRefine(({ sources, packages, systems, configuration: lists }, context) => {
    for (const key of [
      ...systems.flatMap((one) => Object.values(one.sources).flat()),
      ...lists.flatMap((one) => one.sources),
    ]) {
      if (sources[key] === undefined)
        context.addIssue({ code: "custom", message: `a source in \`sources\`, not ${key}` });
    }
    const names = new Set(packages.map(({ name }) => name));
    const used = new Set([
      ...systems.flatMap((one) => Object.values(one.sources).flat()),
      ...lists.flatMap((one) => one.sources),
    ]);
    for (const [at, { name, requires = [], sources: own }] of packages.entries()) {
      const wrong = (message: string): void => context.addIssue({ code: "custom", path: ["packages", at], message });
      for (const key of Object.values(own).flat()) {
        used.add(key);
        if (sources[key] === undefined) wrong(`${name}: a source in \`sources\`, not ${key}`);
      }
      for (const other of requires) if (!names.has(other)) wrong(`${name}: an entry for ${other}, which it requires`);
    }
    if (names.size !== packages.length) context.addIssue({ code: "custom", message: "one entry for each package" });
    for (const key of Object.keys(sources)) {
      if (!used.has(key))
        context.addIssue({ code: "custom", path: ["sources", key], message: "a source that is used" });
    }
  });

/** A SUSE product, as its sources describe it. */
export type SuseSystem = z.output<typeof system>;
/** A SUSE package, as its sources describe it. */
export type SusePackage = z.output<typeof entry>;

/** The content of packages.json, unchecked. */
export const susePackagesText = readFileSync(join(import.meta.dirname, "packages.json"), "utf8");

/**
 * What SUSE's packages contain, according to SUSE's own files and documentation. It was written without looking at the
 * roles, which are compared with it.
 */
export const suse = susePackagesSchema.parse(JSON.parse(susePackagesText));
