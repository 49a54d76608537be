import { exactly, type FactPattern } from "../../core/facts/fact.ts";

const places = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map((folder) => `${folder}/systemd/system/`);

/**
 * The ids of the units that the file at `path` defines, as a systemd unit file or drop-in. A template defines all its
 * instances.
 */
export function unitsOfFile(path: string): readonly string[] {
  const folder = places.find((place) => path.startsWith(place));
  if (folder === undefined) return [];
  const [first = ""] = path.slice(folder.length).split("/");
  const unit = first.replace(/\.d$/, "");
  return unit.includes(".") ? [`unit:${exactly(unit).replace("@.", "@*.")}`] : [];
}

/** The path of the administrator's own unit file for a unit; for an instance, also the path of its template's file. */
export function ownUnitFiles(unit: string): readonly string[] {
  const template = unit.replace(/@.*(?=\.)/, "@");
  return [...new Set([unit, template])].map((name) => `/etc/systemd/system/${name}`);
}

/** The folder for the administrator's own drop-ins for a unit. */
export function dropInFolder(unit: string): string {
  return `/etc/systemd/system/${unit}.d`;
}

/** The facts that show a change to the administrator's own definition of a unit. */
export function ownDefinition(unit: string): readonly FactPattern[] {
  return [...ownUnitFiles(unit).map((path) => `file:${exactly(path)}`), `entries:${exactly(dropInFolder(unit))}`];
}

/** True if the path is a drop-in for a unit; both its presence and its content matter. */
export function isDropIn(path: string): boolean {
  return unitsOfFile(path).length > 0 && path.endsWith(".conf");
}
