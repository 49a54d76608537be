import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { z } from "../src/authoring.ts";
import { describedObjects, withDocComments } from "./doc-comments.ts";
import { withParamTypes } from "./param-types.ts";

/**
 * Adds the descriptions of the params of tasks and roles to the type declarations in their folders, in a form that
 * editors show.
 */
export async function documentTypes(root: string, target: string): Promise<void> {
  for (const kind of ["tasks", "roles"]) {
    for (const folder of readdirSync(join(target, kind), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )) {
      const schemas = await schemasOf(join(root, kind, folder.name));
      const objects = schemas.flatMap((schema) => describedObjects(schema));
      const path = join(target, kind, folder.name);
      for (const name of readdirSync(path).filter((file) => file.endsWith(".d.ts"))) {
        const file = join(path, name);
        writeFileSync(file, withParamTypes(withDocComments(readFileSync(file, "utf8"), objects)));
      }
    }
  }
}

/** The params schemas of everything that a folder's files export: tasks, composites and roles. */
async function schemasOf(folder: string): Promise<z.ZodType[]> {
  const names = existsSync(folder)
    ? readdirSync(folder).filter((name) => /^(?!.*\.(test|cases|d)\.).*\.ts$/.test(name))
    : [];
  const modules = await Promise.all(
    names.map((name) => import(pathToFileURL(join(folder, name)).href) as Promise<object>),
  );
  const cards = modules
    .flatMap((module) => Object.values(module) as unknown[])
    .flatMap((made) => {
      const { card } = (typeof made === "function" ? made : {}) as { card?: { readonly params: z.ZodType } };
      return card === undefined ? [] : [card.params];
    });
  return [...new Set(cards)];
}
