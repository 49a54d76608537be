import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Lab, labVersion } from "./lab.ts";
import { labDirectory, labFiles, labStateDir } from "./places.ts";

/** A lab by its name; undefined if it does not exist, or if its description was never finished. */
export async function readLab(name: string = "lab", stateDir: string = labStateDir()): Promise<Lab | undefined> {
  const text = await readFile(labFiles(labDirectory(name, stateDir)).description, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const lab: unknown = JSON.parse(text);
  return isLab(lab) ? lab : undefined;
}

/** All labs of this state directory, including incomplete ones of killed runs (`status: "starting"`). */
export async function labList(stateDir: string = labStateDir()): Promise<Lab[]> {
  const names = await readdir(join(stateDir, "labs")).catch(() => []);
  const labs = await Promise.all(names.toSorted((a, b) => a.localeCompare(b)).map((name) => readLab(name, stateDir)));
  return labs.filter((lab) => lab !== undefined);
}

/** Only labs write the file, so its version is enough to identify its format. */
function isLab(value: unknown): value is Lab {
  return typeof value === "object" && value !== null && "version" in value && value.version === labVersion;
}
