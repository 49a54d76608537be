import { isFurrowError } from "../../../core/errors.ts";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import type { GceDisk, GceMachineType } from "../../../facts/cloud/gce/index.ts";
import { ask } from "../ask.ts";
import { readThing } from "../read.ts";
import { shortName } from "../views.ts";
import { type PlannedCall, recordsIn, resourceOf, wantsExternal } from "./planned-call.ts";
import { refused } from "./refused.ts";

/** The amount of one quota that a call needs. */
interface Need {
  readonly scope: "project" | "region";
  /** `STATIC_ADDRESSES`: https://cloud.google.com/compute/docs/reference/rest/v1/regions, `quotas[].metric`. */
  readonly metric: string;
  readonly amount: number;
}

/** A quota from the API. */
interface Quota {
  readonly metric?: unknown;
  readonly limit?: unknown;
  readonly usage?: unknown;
}

/** The quota that each disk type counts against: https://cloud.google.com/compute/resource-usage#disk_quota. */
const diskMetrics: Readonly<Record<string, string>> = {
  "pd-standard": "DISKS_TOTAL_GB",
  "pd-balanced": "SSD_TOTAL_GB",
  "pd-ssd": "SSD_TOTAL_GB",
  "hyperdisk-balanced": "HDB_TOTAL_GB",
};

/** The quotas that an insert of one resource counts against. */
const single: Readonly<Record<string, Need>> = {
  network: { scope: "project", metric: "NETWORKS", amount: 1 },
  subnetwork: { scope: "project", metric: "SUBNETWORKS", amount: 1 },
  firewall: { scope: "project", metric: "FIREWALLS", amount: 1 },
  address: { scope: "region", metric: "STATIC_ADDRESSES", amount: 1 },
};

/** Finds the quotas of a project or region; each is requested only once. */
type Lister = (scope: Need["scope"]) => Promise<readonly Quota[]>;

/**
 * Refuses a call that, together with the earlier calls of the plan, exceeds a quota. If this cannot be determined, for
 * example because an earlier call deletes something, returns the reason.
 */
export async function rehearseQuotas(
  call: PlannedCall,
  earlier: readonly PlannedCall[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const region = regionOf(call);
  const { project } = call.place;
  const before = earlier.filter(({ place }) => place.project === project);
  try {
    const listed = lister(project, region, signal);
    const open: string[] = [];
    for (const need of await needsOf(call, listed, signal)) {
      const { scope, metric, amount } = need;
      const { limit, usage } = (await listed(scope)).find((one) => one.metric === metric) ?? {};
      if (typeof limit !== "number" || typeof usage !== "number") {
        open.push(`the API does not show ${metric}`);
        continue;
      }
      const near = scope === "project" ? before : before.filter((one) => regionOf(one) === region);
      const planned = await sumOf(near, need, listed, signal);
      if (usage + planned + amount <= limit) continue;
      if (!near.some(({ method }) => method === "delete")) {
        throw exceeded(metric, { usage, planned, limit, amount }, scope === "region" ? region : project);
      }
      open.push(`${metric} is exhausted, unless an earlier task frees some of it`);
    }
    return open.length === 0 ? undefined : `quotas: ${open.join(", ")}`;
  } catch (error) {
    signal.throwIfAborted();
    if (isFurrowError(error) && error.code === "E_DRIVER") return `quotas: ${error.failure.current ?? error.message}`;
    throw error;
  }
}

function regionOf({ place: { zone, region } }: PlannedCall): string {
  return region ?? zone?.replace(/-[a-z]+$/, "") ?? "";
}

function lister(project: string, region: string, signal: AbortSignal): Lister {
  const known = new Map<string, Promise<readonly Quota[]>>();
  return (scope) => {
    const asked = known.get(scope) ?? quotasOf(scope, project, region, signal);
    known.set(scope, asked);
    return asked;
  };
}

/** The total amount that the calls need of one quota. */
async function sumOf(
  calls: readonly PlannedCall[],
  { metric }: Need,
  listed: Lister,
  signal: AbortSignal,
): Promise<number> {
  let sum = 0;
  for (const call of calls) {
    const needs = await needsOf(call, listed, signal);
    sum += needs.filter((need) => need.metric === metric).reduce((all, { amount }) => all + amount, 0);
  }
  return sum;
}

function exceeded(
  metric: string,
  numbers: { readonly usage: number; readonly planned: number; readonly limit: number; readonly amount: number },
  place: string,
): Error {
  const { usage, planned, limit, amount } = numbers;
  const alsoPlanned = planned === 0 ? "" : `, and earlier tasks need ${planned}`;
  return refused({
    code: "quota",
    what: `the quota ${metric} of ${place} does not allow ${amount} more`,
    current: `${usage} of ${limit} in use${alsoPlanned}`,
    hint: "Ask for a higher quota in the console (IAM and admin, Quotas), or remove resources that are not needed",
  });
}

async function quotasOf(
  scope: Need["scope"],
  project: string,
  region: string,
  signal: AbortSignal,
): Promise<readonly Quota[]> {
  const [client, request] =
    scope === "region" ? (["regions", { project, region }] as const) : (["projects", { project }] as const);
  const what = `read the quotas of ${scope === "region" ? region : project}`;
  const answer = await ask({ client, method: "get", request, what }, signal);
  return recordsIn(isRecord(answer) ? answer["quotas"] : undefined);
}

async function needsOf(call: PlannedCall, listed: Lister, signal: AbortSignal): Promise<readonly Need[]> {
  const { on, method, place, fields } = call;
  const one = single[on];
  if (method === "insert" && one !== undefined) return [one];
  if (on === "disk" && method === "insert") {
    const { type, sizeGb } = resourceOf(call);
    return [diskNeed(shortName(type), Number(sizeGb))];
  }
  if (on === "disk" && method === "resize") {
    const disk = (await readThing("disk", place, false, signal)) as GceDisk | typeof absent;
    const wanted = isRecord(fields["disksResizeRequestResource"]) ? fields["disksResizeRequestResource"]["sizeGb"] : 0;
    return disk === absent ? [] : [diskNeed(disk.type, Number(wanted) - disk.sizeGb)];
  }
  return on === "instance" && method === "insert" ? instanceNeeds(call, await listed("region"), signal) : [];
}

function diskNeed(type: string, amount: number): Need {
  return { scope: "region", metric: diskMetrics[type] ?? `of the disk type ${type}`, amount };
}

async function instanceNeeds(
  call: PlannedCall,
  region: readonly Quota[],
  signal: AbortSignal,
): Promise<readonly Need[]> {
  const { machineType, scheduling, disks } = resourceOf(call);
  const name = shortName(machineType);
  const type = (await readThing("machineType", { ...call.place, name }, false, signal)) as
    | GceMachineType
    | typeof absent;
  const amount = type === absent ? 0 : type.cpus;
  const isSpot = isRecord(scheduling) && scheduling["provisioningModel"] === "SPOT";
  const boot = recordsIn(disks).flatMap(({ initializeParams: made }) =>
    isRecord(made) ? [diskNeed(shortName(made["diskType"]), Number(made["diskSizeGb"]))] : [],
  );
  return [
    { scope: "region", metric: "INSTANCES", amount: 1 },
    { scope: "region", metric: processorMetric(name, isSpot, region), amount },
    { scope: "project", metric: "CPUS_ALL_REGIONS", amount },
    ...(wantsExternal(call) ? [{ scope: "region", metric: "IN_USE_ADDRESSES", amount: 1 } as const] : []),
    ...boot,
  ];
}

/**
 * The quota for a machine type's processors: https://cloud.google.com/compute/resource-usage#cpu_quota. Spot machines
 * have their own quota only if one was requested. The oldest series and E2 share one quota; the others have their own.
 */
function processorMetric(type: string, isSpot: boolean, region: readonly Quota[]): string {
  const spot = region.find(({ metric }) => metric === "PREEMPTIBLE_CPUS");
  if (isSpot && Number(spot?.limit) > 0) return "PREEMPTIBLE_CPUS";
  const [family = ""] = type.split("-");
  return /^(n1|e2|f1|g1|custom)$/.test(family) ? "CPUS" : `${family.toUpperCase()}_CPUS`;
}
