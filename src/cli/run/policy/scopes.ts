import type { Permission } from "../../../core/host/driver.ts";

/**
 * A custom role in the format that `az role definition create` accepts:
 * https://learn.microsoft.com/azure/role-based-access-control/role-definitions.
 */
export interface AzureRole {
  readonly Name: string;
  readonly IsCustom: true;
  readonly Description: string;
  readonly Actions: readonly string[];
  readonly NotActions: readonly [];
  readonly AssignableScopes: readonly [string];
}

/** Collects the actions that a run needs in Azure, by the subscription or resource group in which it needs them. */
export class Scopes {
  readonly #found = new Map<string, Set<string>>();
  readonly #new = new Set<string>();

  /** Adds an action. */
  add({ name, on = "", isNew = false }: Permission): void {
    this.#found.set(on, (this.#found.get(on) ?? new Set()).add(name));
    if (isNew) this.#new.add(on);
  }

  /** The smallest role for each scope. No role can be assigned on a resource group that does not exist yet. */
  roles(): readonly AzureRole[] {
    const scopes = new Map<string, Set<string>>();
    for (const [on, names] of this.#found) {
      const scope = this.#new.has(on) ? on.slice(0, on.indexOf("/resourceGroups/")) : on;
      scopes.set(scope, new Set([...(scopes.get(scope) ?? []), ...names]));
    }
    return [...scopes]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([scope, names]) => ({
        Name: `furrow ${scope.split("/").at(-1)}`,
        IsCustom: true,
        Description: `What a furrow playbook needs in ${scope}`,
        Actions: [...names].toSorted(),
        NotActions: [],
        AssignableScopes: [scope],
      }));
  }
}
