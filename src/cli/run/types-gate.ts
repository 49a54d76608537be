import { isModule } from "../../load/playbook/user-file.ts";
import { missingSettings } from "../../load/types/settings.ts";
import { noTypeCheck, startTypeCheck, type TypeCheck } from "../../load/types/type-check.ts";
import { warn } from "../terminal.ts";

/** The flags that say which files are type-checked. */
export interface TypeFlags {
  readonly playbook: string;
  readonly inventories: readonly string[];
  readonly "no-types"?: boolean | undefined;
}

/**
 * Does `load` while the project's compiler checks the types of the playbook and its inventories, and gives what `load`
 * gives once both are done. What `load` throws comes first, since it says more. Throws FurrowError E_TYPES.
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

/** Says on stderr, in one line for each project, which settings it lacks. */
export function warnOfSettings(playbooks: readonly string[]): void {
  for (const missing of new Set(playbooks.map((path) => missingSettings(path))))
    if (missing !== undefined) warn(missing);
}

/** Starts that check alone, for several playbooks at once. */
export function startTypes(
  playbooks: readonly string[],
  { "no-types": noTypes = false, inventories }: Pick<TypeFlags, "no-types" | "inventories">,
): TypeCheck {
  return noTypes ? noTypeCheck : startTypeCheck([...playbooks, ...inventories].filter(isModule), warn);
}
