import { createHash } from "node:crypto";
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import { isRecord } from "../../core/facts/symbols.ts";
import { locked, readState, stateFolder, writeState } from "./state-folder.ts";

/** The record of the last run of a playbook with an inventory, for the host patterns `@failed` and `@unfinished`. */
export interface LastRun {
  readonly run: string;
  readonly playbook: string;
  /** The folder in which the run was started. */
  readonly folder: string;
  /** False while the run is in progress, and permanently if the run was killed. */
  readonly ended: boolean;
  /** Hosts that failed or could not be reached, so far. */
  readonly failed: readonly string[];
  /**
   * The failed hosts, and all other hosts that did not finish their plays: running, interrupted, halted, not started.
   */
  readonly unfinished: readonly string[];
}

/** Identifies a run: the playbook file and the `-i` arguments, in order. */
export interface RunPlace {
  readonly playbook: string;
  readonly inventories: readonly string[];
}

const folderName = "last-runs";

/**
 * The state file of a run. The file name depends on real paths, so other projects and inventories have their own files.
 */
function fileOf({ playbook, inventories }: RunPlace): string {
  const names = [playbook, ...inventories].map(realPath);
  return `${folderName}/${createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, 32)}.json`;
}

/** Resolves a path; a host list is returned unchanged. */
function realPath(text: string): string {
  try {
    return realpathSync(text);
  } catch {
    return text;
  }
}

/**
 * The last run of this playbook with this inventory, not counting runs in check mode; undefined before the first run.
 * Throws FurrowError E_FILE.
 */
export function readLastRun(place: RunPlace): LastRun | undefined {
  return read(fileOf(place));
}

/** Reads a record; undefined if it does not exist. Throws FurrowError E_FILE, also for a damaged record. */
function read(file: string): LastRun | undefined {
  const text = readState(file);
  const run = parse(text);
  if (text === undefined || run !== undefined) return run;
  const path = join(stateFolder(), file);
  throw new FurrowError("E_FILE", {
    what: "the record of the last run cannot be read",
    where: { source: path },
    current: "the file is damaged",
    hint: `Name the hosts instead of @failed or @unfinished, or delete ${path}`,
  });
}

/** The newest run started in this folder, for commands without a playbook. Throws FurrowError E_FILE. */
export function newestRunIn(folder: string): LastRun | undefined {
  return names()
    .toSorted((a, b) => b.at - a.at)
    .map(({ name }) => read(`${folderName}/${name}`))
    .find((run) => run?.folder === folder);
}

function names(): { readonly name: string; readonly at: number }[] {
  const folder = join(stateFolder(), folderName);
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }));
  } catch {
    return [];
  }
}

/**
 * Records a run of `hosts`. Keeps what earlier and concurrent runs recorded about other hosts, so a rerun for only some
 * of the failed hosts does not lose the others. Throws FurrowError E_FILE.
 */
export function writeLastRun(place: RunPlace, run: LastRun, hosts: readonly string[]): void {
  const file = fileOf(place);
  const own = new Set(hosts);
  locked(file, () => {
    const before = parse(tryRead(file));
    const others = (names: readonly string[] = []): string[] => names.filter((name) => !own.has(name));
    const failed = [...others(before?.failed), ...run.failed];
    const unfinished = [...others(before?.unfinished), ...run.unfinished];
    writeState(file, `${JSON.stringify({ ...run, failed, unfinished })}\n`);
  });
}

/** Reads a record; undefined if it cannot be read. */
function tryRead(file: string): string | undefined {
  try {
    return readState(file);
  } catch {
    return undefined;
  }
}

function parse(text: string | undefined): LastRun | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (!isRecord(value) || !Array.isArray(value["failed"])) return undefined;
    const run = value as unknown as LastRun;
    return Array.isArray(value["unfinished"]) ? run : { ...run, unfinished: run.failed };
  } catch {
    return undefined;
  }
}
