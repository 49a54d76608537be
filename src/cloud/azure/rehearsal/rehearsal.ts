import { FurrowError } from "../../../core/errors.ts";
import { absent } from "../../../core/facts/symbols.ts";
import type { AzureAct } from "../../../facts/cloud/azure/index.ts";
import { type Api, ask, listAll, subscriptionOf } from "../api.ts";
import { versions } from "../kinds.ts";
import { objectOf, type Raw, textOf } from "../raw.ts";
import { size } from "../read.ts";
import { sizeOf } from "../views.ts";
import { checkLocks } from "./locks.ts";
import { lackingPermissions, permissionsTo } from "./permissions.ts";

/**
 * Refuses an action that Azure would refuse because permissions are missing, the subscription is not registered for the
 * service, a lock forbids it, or the quota has too few processors left after the earlier actions of the plan. If this
 * cannot be determined, returns the reason. The API has no dry runs for individual resources.
 */
export async function rehearse(api: Api, act: AzureAct, earlier: readonly AzureAct[]): Promise<string | undefined> {
  const unknown = await checkPermissions(api, act);
  for (const service of servicesOf(act)) await checkRegistration(api, service);
  if (usesProcessors(act)) await checkQuota(api, act, earlier);
  const unread = act.act === "delete" ? await checkLocks(api, act) : undefined;
  return [unknown, unread].filter((reason) => reason !== undefined).join("; ") || undefined;
}

async function checkPermissions(api: Api, act: AzureAct): Promise<string | undefined> {
  const needed = permissionsTo(act);
  if (needed.length === 0) return undefined;
  const lacking = await lackingPermissions(api, act.group, needed);
  if (lacking === "unknown") return "the login is not allowed to read its own permissions";
  if (lacking.length === 0) return undefined;
  throw new FurrowError("E_DRIVER", {
    what: `the login does not have the Azure permissions that "${act.act}" of ${act.name} needs`,
    current: `missing: ${lacking.join(", ")}`,
    expected: `these permissions on the resource group ${act.group}, or on the subscription`,
    hint: "Give the account the role Contributor there, or a role with these actions: az role assignment create",
  });
}

/** The services whose resources an action creates. */
export function servicesOf(act: AzureAct): readonly string[] {
  if (act.act === "createMachine") return ["Microsoft.Compute", "Microsoft.Network"];
  if (act.act === "createDisk") return ["Microsoft.Compute"];
  return act.act === "createNetwork" || act.act === "putSecurityGroup" ? ["Microsoft.Network"] : [];
}

async function checkRegistration(api: Api, service: string): Promise<void> {
  const asked = { method: "GET", path: `providers/${service}`, version: versions.groups } as const;
  const { body } = await ask(api, { ...asked, what: `find out whether the subscription is registered for ${service}` });
  const state = textOf(body["registrationState"]);
  if (state === "Registered") return;
  throw new FurrowError("E_DRIVER", {
    what: `the subscription ${subscriptionOf(api)} is not registered for ${service}`,
    current: state,
    expected: "Registered",
    hint: `Register it once: az provider register --namespace ${service} --wait`,
  });
}

type Machine = Extract<AzureAct, { readonly act: "createMachine" | "startMachine" }>;

/** Whether an action makes a machine use more processors. A deallocated machine uses none, whatever its size. */
export function usesProcessors(act: AzureAct): act is Machine {
  return act.act === "createMachine" || (act.act === "startMachine" && !act.isAllocated);
}

/** The number of processors of a machine size, and the name of its quota. */
interface Need {
  readonly vcpus: number;
  readonly family: string;
}

async function needOf(api: Api, act: Machine): Promise<Need> {
  const found = await size(api, { name: act.size, location: act.location });
  return found === absent ? { vcpus: 0, family: "" } : sizeOf(found);
}

async function checkQuota(api: Api, act: Machine, earlier: readonly AzureAct[]): Promise<void> {
  const planned = earlier.filter(
    (one): one is Machine =>
      usesProcessors(one) && one.location === act.location && one.subscription === act.subscription,
  );
  const needs = await Promise.all([...planned, act].map((one) => needOf(api, one)));
  const own = needs.at(-1);
  if (own === undefined) return;
  const path = `providers/Microsoft.Compute/locations/${encodeURIComponent(act.location)}/usages`;
  const asked = { path, version: versions.compute, what: `read the quotas of ${act.location}` };
  const usages = await listAll(api, asked);
  for (const quota of ["cores", own.family]) {
    const usage = usages.find((one) => nameOf(one).toLowerCase() === quota.toLowerCase());
    if (usage === undefined) continue;
    const counted = needs.filter(({ family }) => quota === "cores" || family === quota);
    const needed = counted.reduce((sum, { vcpus }) => sum + vcpus, 0);
    const used = Number(usage["currentValue"]);
    const limit = Number(usage["limit"]);
    if (used + needed <= limit) continue;
    const before = needed - own.vcpus;
    throw new FurrowError("E_DRIVER", {
      what: `the quota ${quota} of ${act.location} does not allow the ${own.vcpus} processors of the machine ${act.name}`,
      current: `${used} of ${limit} are in use${before > 0 ? `, and earlier tasks need ${before}` : ""}`,
      expected: `${needed} free processors`,
      hint: "Ask for a higher quota in the Azure portal under Quotas, or choose another size or location",
    });
  }
}

function nameOf(usage: Raw): string {
  return textOf(objectOf(usage["name"])["value"]);
}
