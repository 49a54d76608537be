import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Lab, labVersion } from "./lab.ts";
import { labDirectory, labFiles, labStateDir } from "./places.ts";

/** Reads a lab by its name; undefined if the lab does not exist, or if its description was never completely written. */
export async function readLab(name: string = "lab", stateDir: string = labStateDir()): Promise<Lab | undefined> {
  const text = await readFile(labFiles(labDirectory(name, stateDir)).description, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const lab: unknown = JSON.parse(text);
  return isLab(lab) ? lab : undefined;
}

/** The names of all labs, including those whose description was never completely written. */
export async function labNames(stateDir: string = labStateDir()): Promise<string[]> {
  const names = await readdir(join(stateDir, "labs")).catch(() => []);
  return names.toSorted((a, b) => a.localeCompare(b));
}

/**
 * Lists all labs in this state directory, including incomplete ones that killed runs left behind (`status:
 * "starting"`).
 */
export async function labList(stateDir: string = labStateDir()): Promise<Lab[]> {
  const labs = await Promise.all((await labNames(stateDir)).map((name) => readLab(name, stateDir)));
  return labs.filter((lab) => lab !== undefined);
}

/**
 * True if the value has the expected version. Only furrow writes this file, so the version is enough to identify its
 * format.
 */
function isLab(value: unknown): value is Lab {
  return typeof value === "object" && value !== null && "version" in value && value.version === labVersion;
}
