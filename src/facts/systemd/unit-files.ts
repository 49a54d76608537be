import type { FactPattern } from "../../core/fact.ts";

const places = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map((folder) => `${folder}/systemd/system/`);

/** Ids of the units whose definition stands at `path`: unit files and drop-ins of systemd; a template's are all its instances. */
export function unitsOfFile(path: string): readonly string[] {
  const folder = places.find((place) => path.startsWith(place));
  if (folder === undefined) return [];
  const [first = ""] = path.slice(folder.length).split("/");
  const unit = first.replace(/\.d$/, "");
  return unit.includes(".") ? [`unit:${unit.replace("@.", "@*.")}`] : [];
}

/** Where a person puts the file of a unit; for an instance of a template, also that of the template. */
export function ownUnitFiles(unit: string): readonly string[] {
  const template = unit.replace(/@.*(?=\.)/, "@");
  return [...new Set([unit, template])].map((name) => `/etc/systemd/system/${name}`);
}

/** Where a person puts drop-ins of a unit. */
export function dropInFolder(unit: string): string {
  return `/etc/systemd/system/${unit}.d`;
}

/** The facts by which a person's own definition of a unit shows that it changes. */
export function ownDefinition(unit: string): readonly FactPattern[] {
  return [...ownUnitFiles(unit).map((path) => `file:${path}`), `entries:${dropInFolder(unit)}`];
}

/** True for a drop-in of a unit: what its folder holds counts with its content. */
export function isDropIn(path: string): boolean {
  return unitsOfFile(path).length > 0 && path.endsWith(".conf");
}
