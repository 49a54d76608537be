import { seconds, z } from "../../src/authoring.ts";
import { managers } from "../../src/facts/catalogue.ts";

const nameMessage = 'the name of a package, like "nginx" or "libstdc++6"';

/** The name of a package, without a version, a glob, or any character that has a special meaning for apt-get. */
export const packageName = (): z.ZodType<string, string> =>
  z.string({ error: nameMessage }).regex(/^[A-Za-z0-9]([\w.+:~-]*[\w+])?$/, nameMessage);

const names = z.union([packageName(), z.array(packageName()).min(1, "at least one name")], {
  error: 'the name of a package, or a list of names: ["nginx", "parted"]',
});

/** The param that selects a package manager other than the host's default. */
export const managerParam = () =>
  z
    .enum(managers, { error: "one of apt, zypper, dnf, pacman" })
    .optional()
    .describe("Package manager; default: that of the host's distribution");

/** The param that limits the wait for other users of the package database. */
export const waitParam = () =>
  seconds()
    .default(600)
    .describe("Seconds to wait for a running cloud-init and for other users of the package database");

const common = {
  manager: managerParam(),
  waitSeconds: waitParam(),
  provides: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Patterns of facts that the packages\' scripts may change, like ["file:/srv/www/**"]; check mode assumes that a program, user or group given by name exists afterwards',
    ),
};
const mayRemove = z
  .array(packageName())
  .default([])
  .describe(
    "Installed packages that may be removed if the package manager must remove them; removal of others is refused. No other task in the play may require them",
  );
const installing = {
  mayRemove,
  recommends: z
    .boolean({ error: "true or false" })
    .optional()
    .describe("Whether to install recommended packages too; default: the host's package manager decides"),
  indexMaxAgeSeconds: seconds()
    .default(86_400)
    .describe("Before an installation, fetch the package index if it is older than this, in seconds"),
};

/** Params of `package`: one object per state. */
export const params = z.union([
  z.strictObject({
    name: names.describe("One package or several; the missing ones are installed in one transaction"),
    state: z.literal("present").default("present").describe("Installed, or provided by an installed package"),
    ...installing,
    ...common,
  }),
  z.strictObject({
    name: packageName().describe("One package; use one task for each package that needs a version"),
    state: z.literal("present").default("present").describe("Installed at exactly this version"),
    version: z
      .string({ error: 'a full version, like "1.22.1-9+deb12u1"' })
      .regex(/^[A-Za-z0-9][\w.+:~^-]*$/, 'a full version, like "1.22.1-9+deb12u1"')
      .describe("Version as the package database prints it, with epoch and release; an older one is a downgrade"),
    ...installing,
    ...common,
  }),
  z.strictObject({
    name: names.describe("One package or several; those that are missing or outdated are installed in one transaction"),
    state: z.literal("latest").describe("The newest available version; the package index is refreshed first"),
    recommends: installing.recommends,
    mayRemove,
    indexMaxAgeSeconds: seconds()
      .default(3600)
      .describe("Refresh the package index if it is older than this, in seconds"),
    ...common,
  }),
  z.strictObject({
    name: names.describe("One package or several; all are removed in one transaction"),
    state: z.literal("absent").describe("Not installed; changed configuration files stay"),
    dependents: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Also remove packages that depend on those named; otherwise such a removal is refused"),
    ...common,
  }),
]);

/** Parsed params of `package`. */
export type PackageParams = z.output<typeof params>;

/** Returns the names as a list, without duplicates. */
export function namesOf(p: PackageParams): readonly string[] {
  return [...new Set(typeof p.name === "string" ? [p.name] : p.name)];
}
