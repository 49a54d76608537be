import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { z } from "zod";
import type { Composite, CompositeCard } from "../../src/core/authoring/group.ts";
import { definitionOf } from "../../src/core/authoring/task.ts";
import type { Card, TaskDefinition } from "../../src/core/authoring/task-definition.ts";

/** The repository's root. */
export const root = resolve(import.meta.dirname, "../..");

/** One task of the catalogue, as its module exports it. */
export interface Entry {
  /** Name of the folder and file below `tasks/`: `file-line` is `tasks/file-line/file-line.ts`. */
  readonly folder: string;
  /** Absolute path of the task's module. */
  readonly path: string;
  /** The name under which the module exports the task. */
  readonly exportName: string;
  readonly card: Card<z.ZodType> | CompositeCard;
  /** Undefined for a composite. */
  readonly definition: TaskDefinition | undefined;
  /** Returns the composite for given params; undefined for a plain task. */
  readonly expand: ((params: unknown) => Composite) | undefined;
}

/**
 * Imports every `tasks/NAME/NAME.ts` and lists the exports with a card, by task name. Skips folders without that file.
 * Throws if two tasks have the same name.
 */
export async function readCatalogue(folder = join(root, "tasks")): Promise<Entry[]> {
  const complete = foldersOf(folder).filter((name) => isComplete(folder, name));
  const found = await Promise.all(complete.map((name) => readEntries(folder, name)));
  const entries = found.flat().toSorted((a, b) => a.card.name.localeCompare(b.card.name, "en"));
  const twice = entries.find((entry, index) => entry.card.name === entries[index + 1]?.card.name);
  if (twice !== undefined) throw new Error(`two task modules are named "${twice.card.name}"`);
  return entries;
}

/** Task folders that contain files, but not the file named after the folder. (git does not track empty folders.) */
export function incompleteFolders(folder = join(root, "tasks")): string[] {
  return foldersOf(folder).filter((name) => !isComplete(folder, name) && readdirSync(join(folder, name)).length > 0);
}

function foldersOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function isComplete(folder: string, name: string): boolean {
  return existsSync(join(folder, name, `${name}.ts`));
}

async function readEntries(tasks: string, folder: string): Promise<Entry[]> {
  const path = join(tasks, folder, `${folder}.ts`);
  const shown = `tasks/${folder}/${folder}.ts`;
  const module = await import(path).then(
    (loaded: unknown) => loaded as Record<string, unknown>,
    (cause: unknown) => {
      throw new Error(`${shown} cannot be imported: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    },
  );
  const entries = Object.entries(module)
    .filter((pair): pair is [string, Callable] => typeof pair[1] === "function" && "card" in pair[1])
    .map(([exportName, value]) => {
      const definition = definitionOf(value);
      const expand = definition === undefined ? (value as unknown as Entry["expand"]) : undefined;
      return { folder, path, exportName, card: value.card, definition, expand };
    });
  if (entries.length === 0) throw new Error(`${shown} exports no task`);
  return entries;
}

type Callable = ((...input: unknown[]) => unknown) & { readonly card: Card<z.ZodType> };
