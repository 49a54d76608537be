import { insertNetwork, insertSubnetwork, interfaceOf, removeNetwork } from "./network.ts";
import type { CloudSettings } from "./settings.ts";
import { ApiFailure, bare, type CloudState, type Effect, inUse, invalid, print, type Resource, set } from "./state.ts";

interface Made extends Resource {
  status?: string;
}

/**
 * Inserts a resource into a collection: refuses a wrong request immediately; otherwise, returns the effect that the
 * operation has when it ends.
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
      return insertNetwork(state, settings, path, body);
    case "subnetworks":
      return insertSubnetwork(state, path, body);
    case "firewalls":
      state.get(bare(body["network"]));
      return () => void state.put(path, body);
    case "disks":
      if (!state.things.has(bare(body["type"]))) throw invalid("type", bare(body["type"]));
      state.put(path, { ...body, ...mark, ...versionOf(body), status: "CREATING" });
      return () => set(state, path, { status: "READY" });
    case "addresses":
      state.put(path, { ...body, ...mark, status: "RESERVING", address: settings.addressOf(state.number()) });
      return () => set(state, path, { status: "RESERVED" });
    default:
      return insertInstance(state, settings, path, { ...body, ...mark });
  }
}

/** The API shows the version of the key that encrypts a disk. */
function versionOf({ diskEncryptionKey: key }: Resource): object {
  if (key === undefined) return {};
  return { diskEncryptionKey: { kmsKeyName: `${(key as { kmsKeyName: string }).kmsKeyName}/cryptoKeyVersions/1` } };
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
  const [given = {}] = (body["networkInterfaces"] ?? []) as Record<string, unknown>[];
  const nic = interfaceOf(state, zone.replace(/-[a-z]+$/, ""), given);
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

/** An operation may end before its machine has started. */
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
    const { diskEncryptionKey } = disk;
    const body = {
      name,
      sizeGb: made.diskSizeGb,
      type: made.diskType,
      ...(diskEncryptionKey !== undefined && { diskEncryptionKey }),
    };
    insert(state, settings, "disks", source, body)();
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
  if (/^(sub)?networks$/.test(collection)) return removeNetwork(state, collection, path);
  const [user] = (thing["users"] ?? []) as string[];
  if (user !== undefined) throw inUse(collection.slice(0, -1), path, user);
  if (thing["deletionProtection"] === true) {
    throw new ApiFailure(
      400,
      "invalid",
      `Invalid resource usage: 'Resource cannot be deleted if it's protected against deletion.'.`,
    );
  }
  if (collection !== "instances") return () => void state.things.delete(path);
  thing["status"] = "STOPPING";
  const disks = (thing["disks"] ?? []) as { source?: string; autoDelete?: boolean }[];
  const lost = disks.filter(({ autoDelete }) => autoDelete === true).map(({ source }) => bare(source));
  return () => {
    state.things.delete(path);
    for (const [key, other] of state.things) {
      if (!((other["users"] ?? []) as string[]).includes(path)) continue;
      if (lost.includes(key)) state.things.delete(key);
      else Object.assign(other, { users: [], ...(key.includes("/addresses/") && { status: "RESERVED" }) });
    }
  };
}
