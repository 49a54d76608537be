import { clientOf } from "./clients.ts";
import { apiError, failureOf } from "./errors.ts";
import { hostKeysNow } from "./read.ts";
import { addressesOf, type RawInstance, shortName, textOf } from "./views.ts";
import { isFurrowError } from "../../core/errors.ts";

/** A Compute Engine machine in an inventory. */
export interface GceMachine {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly zone: string;
  readonly region: string;
  readonly type: string;
  /** RUNNING, TERMINATED (Compute Engine's word for stopped), … */
  readonly status: string;
  /** The external address; empty if the machine has none. */
  readonly address: string;
  readonly internalAddress: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Network tags. */
  readonly tags: readonly string[];
  /** The device names of the data disks, sorted; each disk is `/dev/disk/by-id/google-NAME` in the guest. */
  readonly disks: readonly string[];
  /** SSH host keys that the guest agent has reported; empty if the agent is not allowed to report them. */
  readonly hostKeys: readonly string[];
}

/** The number of machines per page: the API's maximum. */
const pageSize = 500;

/** Retries after throttling (8), an unavailable server (14) or a timeout (4), for up to a minute per page. */
const again = {
  retryCodes: [4, 8, 14],
  backoffSettings: {
    initialRetryDelayMillis: 200,
    retryDelayMultiplier: 2,
    maxRetryDelayMillis: 5000,
    initialRpcTimeoutMillis: 30_000,
    rpcTimeoutMultiplier: 1,
    maxRpcTimeoutMillis: 30_000,
    totalTimeoutMillis: 60_000,
  },
};

type Pages = (request: object, options: object) => AsyncIterable<unknown>;

/**
 * Lists all machines in a project that match an API filter, in one zone or in all. Keeps only the fields of {@link
 * GceMachine} from each page, so thousands of machines take little memory. Throws FurrowError E_DRIVER.
 */
export async function listMachines(
  project: string,
  zone: string | undefined,
  filter: string | undefined,
  signal: AbortSignal,
): Promise<readonly GceMachine[]> {
  try {
    const client = clientOf("instances") as unknown as Readonly<Record<string, Pages | undefined>>;
    await clientOf("instances")["initialize"]?.call(client, {}, {});
    const method = zone === undefined ? "aggregatedListAsync" : "listAsync";
    const request = {
      project,
      maxResults: pageSize,
      ...(zone !== undefined && { zone }),
      ...(filter !== undefined && { filter }),
    };
    const machines: GceMachine[] = [];
    const open: GceMachine[] = [];
    for await (const found of client[method]?.call(client, request, { retry: again, autoPaginate: false }) ?? []) {
      signal.throwIfAborted();
      for (const raw of zone === undefined ? instancesOf(found) : [found as RawInstance]) {
        const machine = machineOf(raw, project);
        machines.push(machine);
        if (machine.status === "RUNNING" && tellsKeys(raw)) open.push(machine);
      }
    }
    const keys = await keysOf(open, signal);
    return machines.map((machine) => ({ ...machine, hostKeys: keys.get(machine) ?? [] }));
  } catch (error) {
    signal.throwIfAborted();
    if (isFurrowError(error)) throw error;
    throw failureOf(`list the instances of ${project}`, apiError(error), error);
  }
}

/** The machines in one element of a list over all zones. Each element is a pair of a zone and its content. */
function instancesOf(pair: unknown): readonly RawInstance[] {
  const [, { instances }] = pair as [string, { instances?: readonly RawInstance[] | null }];
  return instances ?? [];
}

function machineOf(raw: RawInstance, project: string): GceMachine {
  const zone = shortName(raw.zone);
  const { address, internalAddress } = addressesOf(raw);
  return {
    id: String((raw as { id?: string | number }).id ?? ""),
    name: textOf(raw.name),
    project,
    zone,
    region: zone.replace(/-[a-z]+$/, ""),
    type: shortName(raw.machineType),
    status: textOf(raw.status),
    address,
    internalAddress,
    labels: { ...(raw.labels as Record<string, string> | undefined) },
    tags: [...((raw.tags as { items?: string[] } | undefined)?.items ?? [])],
    disks: dataDisksOf(raw),
    hostKeys: [],
  };
}

function dataDisksOf(raw: RawInstance): string[] {
  const disks = (raw.disks ?? []) as readonly { deviceName?: string; boot?: boolean }[];
  return disks.flatMap(({ deviceName = "", boot }) => (boot === true ? [] : [deviceName])).toSorted();
}

/**
 * True if guest attributes are on for a machine. Guest attributes must be requested one machine at a time, so machines
 * without them are skipped.
 */
function tellsKeys(raw: RawInstance): boolean {
  const { items = [] } = (raw.metadata ?? {}) as { items?: { key?: string; value?: string }[] };
  return items.some(({ key, value }) => key === "enable-guest-attributes" && /^true$/i.test(value ?? ""));
}

/** The number of machines whose keys are requested in parallel. */
const lanes = 16;

async function keysOf(
  machines: readonly GceMachine[],
  signal: AbortSignal,
): Promise<ReadonlyMap<GceMachine, readonly string[]>> {
  const keys = new Map<GceMachine, readonly string[]>();
  const left = machines.values();
  const lane = async (): Promise<void> => {
    for (const machine of left) keys.set(machine, await hostKeysNow(machine, signal));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return keys;
}
