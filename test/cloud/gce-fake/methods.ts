import { networkMethods } from "./network.ts";
import type { CloudSettings } from "./settings.ts";
import { ApiFailure, type CloudState, type Effect, print, type Resource, set } from "./state.ts";
import { attach, boots } from "./things.ts";

type Body = Record<string, unknown>;

/**
 * The methods of a resource besides insert, get and delete. A method refuses a wrong request immediately; otherwise, it
 * returns the effect that the operation has when it ends.
 */
export const methods: Readonly<
  Record<
    string,
    (state: CloudState, path: string, body: Body, settings: CloudSettings, query: URLSearchParams) => Effect
  >
> = {
  ...networkMethods,
  patch: (state, path, body) => () => set(state, path, body),
  update: (state, path, body) => () => set(state, path, body),
  resize: (state, path, { sizeGb }) => {
    if (Number(sizeGb) < Number(state.get(path)["sizeGb"])) throw bad("sizeGb", "must be larger than the current size");
    return () => set(state, path, { sizeGb });
  },
  setLabels: (state, path, { labels, labelFingerprint }) => {
    held(state.get(path)["labelFingerprint"], labelFingerprint);
    return () => set(state, path, { labels, labelFingerprint: print(state) });
  },
  setMetadata: (state, path, { items, fingerprint }) => {
    held((state.get(path)["metadata"] as Body)["fingerprint"], fingerprint);
    return () => set(state, path, { metadata: { items, fingerprint: print(state) } });
  },
  setTags: (state, path, { items, fingerprint }) => {
    held((state.get(path)["tags"] as Body)["fingerprint"], fingerprint);
    return () => set(state, path, { tags: { items, fingerprint: print(state) } });
  },
  attachDisk: (state, path, body, settings) => {
    const instance = state.get(path);
    return () => {
      const disk = attach(state, settings, path, instance.name, body);
      set(state, path, { disks: [...(instance["disks"] as object[]), disk] });
    };
  },
  deleteAccessConfig: (state, path) => () => {
    const [nic] = state.get(path)["networkInterfaces"] as Body[];
    set(state, path, { networkInterfaces: [{ ...nic, accessConfigs: [] }] });
  },
  setDeletionProtection: (state, path, _body, _settings, query) => {
    const deletionProtection = query.get("deletionProtection") === "true";
    return () => set(state, path, { deletionProtection });
  },
  setDiskAutoDelete: (state, path, _body, _settings, query) => {
    const disks = state.get(path)["disks"] as Body[];
    if (!disks.some(({ deviceName }) => deviceName === query.get("deviceName")))
      throw bad("deviceName", "no such disk");
    const autoDelete = query.get("autoDelete") === "true";
    return () =>
      set(state, path, {
        disks: disks.map((disk) => (disk["deviceName"] === query.get("deviceName") ? { ...disk, autoDelete } : disk)),
      });
  },
  setServiceAccount: (state, path, { email, scopes }) => {
    if (state.get(path)["status"] !== "TERMINATED") throw bad("serviceAccounts", "the instance must be stopped");
    return () => set(state, path, { serviceAccounts: [{ email, scopes }] });
  },
  setMachineType: (state, path, { machineType }) => {
    if (state.get(path)["status"] !== "TERMINATED") throw bad("machineType", "the instance must be stopped");
    return () => set(state, path, { machineType });
  },
  start: (state, path) => start(state, path),
  resume: (state, path) => start(state, path),
  // https://cloud.google.com/compute/docs/instances/stop-start-instance: a stopped machine does not have an ephemeral
  // address.
  stop: (state, path) => {
    const instance = state.get(path);
    Object.assign(instance, { status: "STOPPING", told: false });
    return () => {
      instance["status"] = "TERMINATED";
    };
  },
};

function start(state: CloudState, path: string): Effect {
  const instance: Resource = state.get(path);
  instance["status"] = "STAGING";
  return () => boots(state, instance);
}

/**
 * https://cloud.google.com/compute/docs/metadata/setting-custom-metadata: a change must include the current
 * fingerprint.
 */
function held(now: unknown, shown: unknown): void {
  if (now !== shown) {
    throw new ApiFailure(412, "conditionNotMet", "Labels fingerprint either invalid or resource labels have changed");
  }
}

function bad(field: string, why: string): ApiFailure {
  return new ApiFailure(400, "invalid", `Invalid value for field '${field}': ${why}`);
}
