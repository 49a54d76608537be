import { listAll } from "./list.ts";
import { osLoginOf, osLoginWords, type ProjectWords } from "./os-login/metadata.ts";
import { hostKeysNow } from "./read.ts";
import { addressesOf, type RawInstance, shortName, textOf } from "./views.ts";

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
  /**
   * Whether the guest uses OS Login, according to its own metadata or, failing that, its project's; `secondFactor`: the
   * guest uses OS Login, and asks people for a second factor; `unknown`: the project's metadata cannot be read.
   */
  readonly osLogin: "on" | "secondFactor" | "off" | "unknown";
  /** SSH host keys that the guest agent has reported; empty if the agent is not allowed to report them. */
  readonly hostKeys: readonly string[];
}

/**
 * Lists all machines in a project that match an API filter, in one zone or in all. Keeps only the fields of {@link
 * GceMachine} from each page, so thousands of machines take little memory. `ofProject` reads the OS Login settings in
 * the project's metadata. Throws FurrowError E_DRIVER.
 */
export async function listMachines(
  project: string,
  zone: string | undefined,
  filter: string | undefined,
  ofProject: () => Promise<ProjectWords>,
  signal: AbortSignal,
): Promise<readonly GceMachine[]> {
  const method = zone === undefined ? "aggregatedList" : "list";
  const request = { project, ...(zone !== undefined && { zone }), ...(filter !== undefined && { filter }) };
  const machines: GceMachine[] = [];
  const open: GceMachine[] = [];
  for await (const found of listAll("instances", method, request, `list the instances of ${project}`, signal)) {
    for (const raw of zone === undefined ? instancesOf(found) : [found as RawInstance]) {
      const machine = { ...machineOf(raw, project), osLogin: await osLoginNow(raw, ofProject) };
      machines.push(machine);
      if (machine.status === "RUNNING" && tellsKeys(raw)) open.push(machine);
    }
  }
  const keys = await keysOf(open, signal);
  return machines.map((machine) => ({ ...machine, hostKeys: keys.get(machine) ?? [] }));
}

/** The machines in one element of a list of all zones. Each element is a pair of a zone and its content. */
export function instancesOf(pair: unknown): readonly RawInstance[] {
  const [, { instances }] = pair as [string, { instances?: readonly RawInstance[] | null }];
  return instances ?? [];
}

/** Requests the project's metadata only if the machine's own metadata is not sufficient. */
async function osLoginNow(
  { metadata }: RawInstance,
  ofProject: () => Promise<ProjectWords>,
): Promise<GceMachine["osLogin"]> {
  const own = osLoginWords(metadata);
  const isSaid = own.use === false || (own.use === true && own.secondFactor !== undefined);
  const { use, secondFactor } = osLoginOf(own, isSaid ? undefined : await ofProject());
  return use === "on" && secondFactor ? "secondFactor" : use;
}

function machineOf(raw: RawInstance, project: string): Omit<GceMachine, "osLogin"> {
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
