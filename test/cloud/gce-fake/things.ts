import { ApiFailure, type CloudState, type Effect, type Resource } from "./state.ts";

/** The settings of the fake cloud. */
export interface CloudSettings {
  /** The existing zones. */
  readonly zones: readonly string[];
  /** Zones without capacity, in which the operation of an insert fails. */
  readonly full: Set<string>;
  /** The number of processors that may be in use in a region. */
  quota: number;
  /** The host keys that guests report, as `ssh-ed25519 AAAA`; empty for guests without an agent. */
  hostKeys: readonly string[];
  /**
   * Returns external addresses. By default, they belong to this machine, because a test must never connect to an
   * address outside this machine.
   */
  addressOf: (number: number) => string;
}

interface Made extends Resource {
  status?: string;
}

const bare = (link: unknown): string => String(link).replace(/^.*?(?=projects\/)/, "");

/**
 * How an insert turns a request body into a resource, by collection: what happens immediately, and what happens when
 * the operation ends.
 */
export function insert(
  state: CloudState,
  settings: CloudSettings,
  collection: string,
  path: string,
  body: Resource,
): Effect {
  if (state.things.has(path)) throw new ApiFailure(409, "alreadyExists", `The resource '${path}' already exists`);
  const mark = { labelFingerprint: print(state) };
  switch (collection) {
    case "networks":
    case "firewalls":
      if (collection === "firewalls") state.get(bare(body["network"]));
      return () => void state.put(path, body);
    case "disks":
      state.put(path, { ...body, ...mark, status: "CREATING" });
      return () => set(state, path, { status: "READY" });
    case "addresses":
      state.put(path, { ...body, ...mark, status: "RESERVING", address: settings.addressOf(state.number()) });
      return () => set(state, path, { status: "RESERVED" });
    default:
      return insertInstance(state, settings, path, { ...body, ...mark });
  }
}

/** https://cloud.google.com/compute/docs/instances/instance-life-cycle */
function insertInstance(state: CloudState, settings: CloudSettings, path: string, body: Resource): Effect {
  const [, project = "", zone = ""] = /^projects\/([^/]+)\/zones\/([^/]+)/.exec(path) ?? [];
  const type = state.things.get(`projects/${project}/${String(body["machineType"])}`);
  if (type === undefined) throw invalid("machineType", String(body["machineType"]));
  const features = body["advancedMachineFeatures"] as { enableNestedVirtualization?: boolean } | undefined;
  if (features?.enableNestedVirtualization === true && /^(e2|t2a)-/.test(type.name)) {
    throw new ApiFailure(400, "invalid", `Nested virtualization is not supported for machine type ${type.name}`);
  }
  const cpus = [...state.things].filter(([key]) => /\/instances\//.test(key)).length * 16 + Number(type["guestCpus"]);
  if (cpus > settings.quota) {
    const message = `Quota 'CPUS' exceeded.  Limit: ${settings.quota}.0 in region ${zone.replace(/-[a-z]+$/, "")}.`;
    throw new ApiFailure(403, "quotaExceeded", message);
  }
  const [nic = {}] = (body["networkInterfaces"] ?? []) as Record<string, unknown>[];
  state.get(bare(nic["network"]));
  if (settings.full.has(zone)) {
    return () => ({
      code: "ZONE_RESOURCE_POOL_EXHAUSTED",
      message: `The zone '${path.replace(/\/instances.*/, "")}' does not have enough resources available to fulfill the request.`,
    });
  }
  const disks = (body["disks"] as Record<string, unknown>[]).map((disk) =>
    attach(state, settings, path, body.name, disk),
  );
  const accessConfigs = ((nic["accessConfigs"] ?? []) as Record<string, unknown>[]).map((config) => ({
    ...config,
    natIP: (config["natIP"] as string | undefined) ?? settings.addressOf(state.number()),
  }));
  for (const { natIP } of accessConfigs) useAddress(state, natIP, path);
  const made: Made = state.put(path, {
    ...body,
    status: "PROVISIONING",
    zone: `https://www.googleapis.com/compute/v1/projects/${project}/zones/${zone}`,
    disks,
    networkInterfaces: [{ ...nic, accessConfigs, networkIP: `10.156.0.${state.number()}` }],
    metadata: { ...(body["metadata"] as object), fingerprint: print(state) },
    tags: { ...(body["tags"] as object), fingerprint: print(state) },
  });
  return () => {
    made.status = "STAGING";
    boots(state, made);
  };
}

/** An operation may have ended before its machine has started. */
export function boots(state: CloudState, instance: Made): void {
  state.later(2, () => {
    if (instance.status === "STAGING") instance.status = "RUNNING";
    state.later(2, () => (instance["told"] = instance.status === "RUNNING"));
  });
}

/** Attaches an existing disk, or a disk that is created with the instance. */
export function attach(
  state: CloudState,
  settings: CloudSettings,
  path: string,
  name: string,
  disk: Record<string, unknown>,
): Record<string, unknown> {
  const folder = path.replace(/\/instances\/.*$/, "/disks");
  const made = disk["initializeParams"] as { sourceImage?: string; diskSizeGb?: string; diskType?: string } | undefined;
  const source = made ? `${folder}/${name}` : bare(disk["source"]);
  if (made) {
    if (!state.things.has(bare(made.sourceImage)))
      throw invalid("disks[0].initializeParams.sourceImage", bare(made.sourceImage));
    insert(state, settings, "disks", source, { name, sizeGb: made.diskSizeGb, type: made.diskType })();
  }
  const found = state.get(source);
  const users = (found["users"] ?? []) as string[];
  if (users.length > 0) throw inUse("disk", source, users[0] ?? "");
  found["users"] = [path];
  return { ...disk, source: `https://www.googleapis.com/compute/v1/${source}`, initializeParams: undefined };
}

function useAddress(state: CloudState, address: string, path: string): void {
  for (const [key, thing] of state.things) {
    if (!key.includes("/addresses/") || thing["address"] !== address) continue;
    if (thing["status"] !== "RESERVED") throw inUse("address", key, String(thing["users"]));
    Object.assign(thing, { status: "IN_USE", users: [path] });
  }
}

/** The effect of a deletion. A resource that another resource uses cannot be deleted. */
export function remove(state: CloudState, collection: string, path: string): Effect {
  const thing = state.get(path);
  const [user] = (thing["users"] ?? []) as string[];
  const dependent = collection === "networks" ? usersOfNetwork(state, path) : user;
  if (dependent !== undefined) throw inUse(collection.slice(0, -1), path, dependent);
  if (collection !== "instances") return () => void state.things.delete(path);
  thing["status"] = "STOPPING";
  return () => {
    state.things.delete(path);
    for (const [key, other] of state.things) {
      if (!((other["users"] ?? []) as string[]).includes(path)) continue;
      if (key === path.replace("/instances/", "/disks/")) state.things.delete(key);
      else Object.assign(other, { users: [], ...(key.includes("/addresses/") && { status: "RESERVED" }) });
    }
  };
}

function usersOfNetwork(state: CloudState, path: string): string | undefined {
  for (const [key, { network, networkInterfaces }] of state.things) {
    const used = [network, ...((networkInterfaces ?? []) as { network?: string }[]).map((nic) => nic.network)];
    if (used.some((link) => link !== undefined && bare(link) === path)) return key;
  }
  return undefined;
}

/** https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-deleting-resources */
function inUse(what: string, path: string, by: string): ApiFailure {
  const message = `The ${what} resource '${path}' is already being used by '${bare(by)}'`;
  return new ApiFailure(400, "resourceInUseByAnotherResource", message);
}

function invalid(field: string, value: string): ApiFailure {
  const message = `Invalid value for field 'resource.${field}': '${value}'. The referenced resource does not exist.`;
  return new ApiFailure(400, "invalid", message);
}

/** Changes fields of a resource, if it still exists. */
export function set(state: CloudState, path: string, fields: object): void {
  const thing = state.things.get(path);
  if (thing !== undefined) Object.assign(thing, fields);
}

/** Creates a new fingerprint, which the next change must include. */
export function print(state: CloudState): string {
  return Buffer.from(`f${state.number()}`).toString("base64");
}
