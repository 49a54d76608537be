import { isTemplate } from "../../load/ansible/connection.ts";
import { shownValue as withoutSecrets } from "../../core/secrets/shown-value.ts";

/**
 * Returns a var or setting as `furrow inventory` can show it. There is no playbook schema here that could mark the
 * value as secret, so a value is hidden if its name or path looks like that of a secret. Values that are already
 * secrets stay secret.
 */
export function shownValue(name: string, value: unknown): unknown {
  return withoutSecrets(name, value, isTemplate);
}
