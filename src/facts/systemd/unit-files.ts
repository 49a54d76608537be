import type { FactPattern } from "../../core/facts/fact.ts";

const places = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map((folder) => `${folder}/systemd/system/`);

/**
 * Ids of the units that the file at `path` defines: unit files and drop-ins of systemd. A template defines all its
 * instances.
 */
export function unitsOfFile(path: string): readonly string[] {
  const folder = places.find((place) => path.startsWith(place));
  if (folder === undefined) return [];
  const [first = ""] = path.slice(folder.length).split("/");
  const unit = first.replace(/\.d$/, "");
  return unit.includes(".") ? [`unit:${unit.replace("@.", "@*.")}`] : [];
}

/** The paths for a person's own file of a unit; for an instance of a template, also that of the template. */
export function ownUnitFiles(unit: string): readonly string[] {
  const template = unit.replace(/@.*(?=\.)/, "@");
  return [...new Set([unit, template])].map((name) => `/etc/systemd/system/${name}`);
}

/** The folder for a person's own drop-ins of a unit. */
export function dropInFolder(unit: string): string {
  return `/etc/systemd/system/${unit}.d`;
}

/** The facts that show a change of a person's own definition of a unit. */
export function ownDefinition(unit: string): readonly FactPattern[] {
  return [...ownUnitFiles(unit).map((path) => `file:${path}`), `entries:${dropInFolder(unit)}`];
}

/** True for a drop-in of a unit; both its presence and its content count. */
export function isDropIn(path: string): boolean {
  return unitsOfFile(path).length > 0 && path.endsWith(".conf");
}
