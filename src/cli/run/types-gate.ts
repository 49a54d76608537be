import { type FurrowError, isFurrowError } from "../../core/errors.ts";
import { isModule } from "../../load/playbook/user-file.ts";
import { missingSettings } from "../../load/types/settings.ts";
import { noTypeCheck, startTypeCheck, type TypeCheck } from "../../load/types/type-check.ts";
import { printError, warn } from "../terminal.ts";

/** The flags that select the files to type-check. */
export interface TypeFlags {
  readonly playbook: string;
  readonly inventories: readonly string[];
  readonly "no-types"?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Runs `load` while the project's compiler checks the types of the playbook and its inventories. Returns the result of
 * `load` once both have finished. If both fail, prints the type errors and throws the error from `load`. Throws
 * FurrowError E_TYPES for type errors.
 */
export async function withTypes<T>(flags: TypeFlags, load: () => Promise<T>): Promise<T> {
  warnOfSettings([flags.playbook]);
  return bothChecked(startTypes([flags.playbook], flags), load, (error) => printError(error, flags.json ?? false));
}

/** The codes of errors that a type error may explain. An error of another code is thrown without waiting. */
const maybeExplained = new Set<string>(["E_PLAYBOOK", "E_PARAMS", "E_INVENTORY", "E_PATTERN", "E_BUG"]);

/**
 * Does what {@link withTypes} does, with a type check that has already started. `show` receives the type errors that
 * are found in addition to the error from `load`.
 */
export async function bothChecked<T>(
  check: TypeCheck,
  load: () => Promise<T>,
  show: (error: FurrowError) => void,
): Promise<T> {
  try {
    const loaded = await load();
    const error = await check.error;
    if (error !== undefined) throw error;
    return loaded;
  } catch (error) {
    const code = isFurrowError(error) ? error.code : "E_BUG";
    const besides = maybeExplained.has(code)
      ? await check.errorBesides(isFurrowError(error) ? [error] : [])
      : undefined;
    if (besides !== undefined) show(besides);
    throw error;
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
