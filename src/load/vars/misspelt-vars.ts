import type { z } from "zod";
import { isOtherNumber, misspelling } from "../../core/closest.ts";
import { declaredNames } from "./check-vars.ts";
import type { MergedHost } from "./precedence.ts";

/** The minimum length at which one wrong letter is more likely a typo than a different name. */
const shortest = 4;

/**
 * Returns a notice for each var in the inventory that was probably misspelled. The playbook does not declare it, but it
 * declares a var with almost the same name, which the host does not set. A notice is enough, because the var may belong
 * to another playbook. Each name is reported once.
 */
export function misspeltVars(
  schema: z.ZodType | undefined,
  hosts: readonly MergedHost[],
  inventory: string,
): readonly string[] {
  const declared = schema === undefined ? [] : declaredNames(schema);
  const known = new Set(declared);
  const seen = new Set<string>();
  const notices = new Map<string, string>();
  for (const { vars } of hosts)
    for (const [name, { origin }] of Object.entries(vars)) {
      if (name.length < shortest || known.has(name) || notices.has(name)) continue;
      const open = declared.filter((one) => vars[one] === undefined && !isOtherNumber(name, one));
      // The hosts in an inventory usually set the same vars, so the same search is not repeated.
      const question = JSON.stringify([name, open]);
      if (seen.has(question)) continue;
      seen.add(question);
      const meant = misspelling(name, open);
      if (meant === undefined) continue;
      const place = origin === "inventory" ? "vars" : origin;
      notices.set(
        name,
        `${inventory} (${place}): "${name}" is not a var of this playbook, so it is not used; did you mean "${meant}"?`,
      );
    }
  return [...notices.values()];
}
