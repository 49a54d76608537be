import { seconds, z } from "../../src/authoring.ts";
import { managers } from "../../src/facts/catalogue.ts";

const nameMessage = 'the name of a package, like "nginx" or "libstdc++6"';

/** The name of a package: no version, no glob, none of the signs by which apt-get means something else. */
export const packageName = (): z.ZodType<string, string> =>
  z.string({ error: nameMessage }).regex(/^[A-Za-z0-9]([\w.+:~-]*[\w+])?$/, nameMessage);

const names = z.union([packageName(), z.array(packageName()).min(1, "at least one name")], {
  error: 'the name of a package, or a list of names: ["nginx", "parted"]',
});

/** The package manager, where the host's own is not meant. */
export const managerParam = () =>
  z
    .enum(managers, { error: "one of apt, zypper, dnf, pacman" })
    .optional()
    .describe("The package manager; default: the one the host's distribution is kept with");

/** How long to wait for others. */
export const waitParam = () =>
  seconds()
    .default(600)
    .describe("Seconds to wait for a running cloud-init and for other users of the package database before giving up");

const common = {
  manager: managerParam(),
  waitSeconds: waitParam(),
  provides: z
    .array(z.string().min(1))
    .default([])
    .describe('Patterns of facts that these packages\' scripts bring about: ["file:/srv/www/**"], for check mode'),
};
const mayRemove = z
  .array(packageName())
  .default([])
  .describe(
    "Installed packages that may be removed where the package manager says that they must go; others are refused. No other task of the play may want them installed",
  );
const installing = {
  mayRemove,
  recommends: z
    .boolean({ error: "true or false" })
    .optional()
    .describe("Whether recommended packages come too; default: as the host's package manager is set up"),
  indexMaxAgeSeconds: seconds()
    .default(86_400)
    .describe("Where something is to be installed, the package index is fetched first if it is older than this"),
};

/** What `package` takes: one object per state. */
export const params = z.union([
  z.strictObject({
    name: names.describe("One package or several; all that are missing are installed in one transaction"),
    state: z.literal("present").default("present").describe("Installed, or provided by an installed package"),
    ...installing,
    ...common,
  }),
  z.strictObject({
    name: packageName().describe("The package; several that need a version are one task each"),
    state: z.literal("present").default("present").describe("Installed in this very version"),
    version: z
      .string({ error: 'a full version, like "1.22.1-9+deb12u1"' })
      .regex(/^[A-Za-z0-9][\w.+:~^-]*$/, 'a full version, like "1.22.1-9+deb12u1"')
      .describe("The version as the package database prints it, with epoch and release; an older one is a downgrade"),
    ...installing,
    ...common,
  }),
  z.strictObject({
    name: names.describe("One package or several; all that are missing or older are installed in one transaction"),
    state: z.literal("latest").describe("The newest version on offer; the package index is refreshed first"),
    recommends: installing.recommends,
    mayRemove,
    indexMaxAgeSeconds: seconds().default(3600).describe("The package index is refreshed if it is older than this"),
    ...common,
  }),
  z.strictObject({
    name: names.describe("One package or several; all are removed in one transaction"),
    state: z.literal("absent").describe("Not installed; configuration files that were changed stay"),
    dependents: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Remove the packages that need it too; without it such a removal is refused"),
    ...common,
  }),
]);

/** Params of `package`, checked. */
export type PackageParams = z.output<typeof params>;

/** The names, as a list without repetition. */
export function namesOf(p: PackageParams): readonly string[] {
  return [...new Set(typeof p.name === "string" ? [p.name] : p.name)];
}
