import { isModule } from "../../load/playbook/user-file.ts";
import { missingSettings } from "../../load/types/settings.ts";
import { noTypeCheck, startTypeCheck, type TypeCheck } from "../../load/types/type-check.ts";
import { warn } from "../terminal.ts";

/** The flags that select the files to type-check. */
export interface TypeFlags {
  readonly playbook: string;
  readonly inventories: readonly string[];
  readonly "no-types"?: boolean | undefined;
}

/**
 * Runs `load` while the project's compiler checks the types of the playbook and its inventories. Returns the result of
 * `load` once both have finished. If both fail, throws the error from `load`, because it is more precise. Throws
 * FurrowError E_TYPES for type errors.
 */
export async function withTypes<T>(flags: TypeFlags, load: () => Promise<T>): Promise<T> {
  warnOfSettings([flags.playbook]);
  const check = startTypes([flags.playbook], flags);
  try {
    const loaded = await load();
    const error = await check.error;
    if (error !== undefined) throw error;
    return loaded;
  } finally {
    check.stop();
  }
}

/** Lists on stderr, on one line per project, the compiler settings that the project lacks. */
export function warnOfSettings(playbooks: readonly string[]): void {
  for (const missing of new Set(playbooks.map((path) => missingSettings(path))))
    if (missing !== undefined) warn(missing);
}

/**
 * Starts only the type check, for one or more playbooks. `isWanted`: the user asked for the check itself, rather than
 * for a run that includes it.
 */
export function startTypes(
  playbooks: readonly string[],
  { "no-types": noTypes = false, inventories }: Pick<TypeFlags, "no-types" | "inventories">,
  { isWanted = false }: { readonly isWanted?: boolean } = {},
): TypeCheck {
  return noTypes ? noTypeCheck : startTypeCheck([...playbooks, ...inventories].filter(isModule), warn, { isWanted });
}
