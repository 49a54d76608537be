import { readState, writeState } from "./state-folder.ts";

/** What is remembered of the last run, for the host pattern `@failed`. */
export interface LastRun {
  readonly run: string;
  readonly playbook: string;
  /** Hosts that failed or could not be reached. */
  readonly failed: readonly string[];
}

const file = "last-run.json";

/** The last run of this account that was no check; undefined where there is none. Throws FurrowError E_FILE. */
export function readLastRun(): LastRun | undefined {
  const text = readState(file);
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as LastRun;
    return Array.isArray(value.failed) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Remembers a run. Throws FurrowError E_FILE. */
export function writeLastRun(run: LastRun): void {
  writeState(file, `${JSON.stringify(run)}\n`);
}
