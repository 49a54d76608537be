import { FurrowError } from "../../core/errors.ts";
import type { Playbook } from "../../core/authoring/playbook.ts";
import { importUserFile } from "./user-file.ts";

/** A playbook and the path of its file, as the user gave it. */
export interface LoadedPlaybook {
  readonly path: string;
  readonly playbook: Playbook;
}

const sort = {
  noun: "playbook",
  code: "E_PLAYBOOK",
  expected: 'playbook({ name: "…", plays: [ … ] })',
} as const;

/**
 * Reads a playbook file. Throws FurrowError E_PLAYBOOK if the file is missing, does not compile or is not a playbook.
 */
export async function loadPlaybook(path: string): Promise<LoadedPlaybook> {
  const value = await importUserFile(path, sort);
  if (!isPlaybook(value)) throw notPlaybook(path, value);
  if (value.confirm !== undefined && typeof value.confirm !== "function") {
    throw new FurrowError("E_PLAYBOOK", {
      what: `"confirm" of ${path} is not a function`,
      ...(value.source !== undefined && { where: { source: value.source } }),
      current: describe(value.confirm),
      expected: '({ vars, host }) => ({ lost: "…", typeBack: "…" })',
      hint: "Make it a function that takes { vars, host }",
    });
  }
  value.plays.forEach((play, index) => {
    if (typeof play !== "object" || play === null || typeof play.tasks !== "function" || play.hosts === undefined) {
      throw new FurrowError("E_PLAYBOOK", {
        what: `play ${index + 1} of ${path} is not a play`,
        ...(value.source !== undefined && { where: { source: value.source } }),
        expected: "{ hosts: …, tasks: ({ host, vars, facts }) => [ … ] }",
        hint: 'Give every play "hosts" and "tasks"',
      });
    }
  });
  return { path, playbook: value };
}

function isPlaybook(value: unknown): value is Playbook {
  return typeof value === "object" && value !== null && "playbook" in value && value.playbook === true;
}

function notPlaybook(path: string, value: unknown): FurrowError {
  const isInventory = typeof value === "object" && value !== null && "inventory" in value;
  return new FurrowError("E_PLAYBOOK", {
    what: `the default export of ${path} is not a playbook`,
    where: { source: path },
    current: isInventory ? "an inventory" : describe(value),
    expected: sort.expected,
    hint: isInventory
      ? "Give the inventory with -i, and the path of a playbook before it"
      : "Create it with playbook({ … })",
  });
}

/** A short description of a value, for messages about a wrong default export. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object")
    return `an object with ${Object.keys(value).slice(0, 5).join(", ") || "nothing in it"}`;
  return typeof value === "function" ? "a function" : JSON.stringify(value);
}
