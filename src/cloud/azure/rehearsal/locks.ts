import { FurrowError } from "../../../core/errors.ts";
import { type AzureAct, type AzureKind, azurePartsOf } from "../../../facts/cloud/azure/index.ts";
import { type Api, listAll } from "../api.ts";
import { idOf } from "../change.ts";
import type { AzureRefusal } from "../errors.ts";
import { versions } from "../kinds.ts";
import { propertiesOf, sameId, textOf } from "../raw.ts";

/**
 * Refuses to delete what a lock protects. The lock can be on the resource, on something in it, or on its group or
 * subscription (https://learn.microsoft.com/azure/azure-resource-manager/management/lock-resources). If the login is
 * not allowed to read the locks, returns a note that says so.
 */
export async function checkLocks(api: Api, act: AzureAct & { readonly act: "delete" }): Promise<string | undefined> {
  const path = "providers/Microsoft.Authorization/locks";
  const asked = { path, version: versions.locks, what: "read the locks of the subscription" };
  try {
    const locks = await listAll(api, asked, (error) => error.statusCode === 403);
    const ids = idsOf(api, act);
    const lock = locks.find((one) => ids.some((id) => isBetween(scopeOf(textOf(one["id"])), id)));
    if (lock === undefined) return undefined;
    const { level, notes } = propertiesOf(lock);
    throw new FurrowError("E_DRIVER", {
      what: `Azure would refuse to delete ${act.name}, because a lock protects it`,
      current: [textOf(level), textOf(lock["id"]), textOf(notes)].filter((part) => part !== "").join(" "),
      expected: "no lock on it, on its resource group or on the subscription",
      hint: "Ask the person who created the lock, or remove it: az lock delete --ids ID",
    });
  } catch (error) {
    if ((error as AzureRefusal).statusCode === 403) return "the login is not allowed to read the locks";
    throw error;
  }
}

/** The ids of everything that an action deletes. */
function idsOf(api: Api, { kind, name, group }: AzureAct & { readonly act: "delete" }): readonly string[] {
  if (kind !== "machine") return [idOf(api, kind, { name, group })];
  const { osDisk, card, address } = azurePartsOf(name);
  const parts: readonly (readonly [AzureKind, string])[] = [
    ["machine", name],
    ["disk", osDisk],
    ["card", card],
    ["address", address],
  ];
  return parts.map(([part, called]) => idOf(api, part, { name: called, group }));
}

function scopeOf(lock: string): string {
  return lock.replace(/\/providers\/Microsoft\.Authorization\/locks\/[^/]+$/i, "");
}

/** Whether one of two ids equals the other or contains it. */
function isBetween(scope: string, id: string): boolean {
  const [shorter, longer] = scope.length < id.length ? [scope, id] : [id, scope];
  return scope !== "" && sameId(`${longer}/`.slice(0, shorter.length + 1), `${shorter}/`);
}
