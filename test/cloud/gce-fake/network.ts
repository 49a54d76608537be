import { overlaps } from "../../../tasks/gce-subnetwork/range.ts";
import type { CloudSettings } from "./settings.ts";
import { ApiFailure, bare, type CloudState, type Effect, inUse, invalid, print, type Resource, set } from "./state.ts";

const regionsOf = ({ zones }: CloudSettings): string[] => [
  ...new Set(zones.map((zone) => zone.replace(/-[a-z]+$/, ""))),
];

/**
 * https://cloud.google.com/compute/docs/reference/rest/v1/networks/insert: with autoCreateSubnetworks, Google creates a
 * subnetwork in each region, from 10.128.0.0/9.
 */
export function insertNetwork(state: CloudState, settings: CloudSettings, path: string, body: Resource): Effect {
  return () => {
    state.put(path, body);
    if (body["autoCreateSubnetworks"] !== true) return;
    const project = path.replace(/\/global\/.*/, "");
    for (const [at, region] of regionsOf(settings).entries()) {
      const ipCidrRange = `10.${128 + at}.0.0/20`;
      const place = `${project}/regions/${region}`;
      const made = { name: body.name, network: path, region: place, ipCidrRange, automatic: true };
      state.put(`${place}/subnetworks/${body.name}`, made);
    }
  };
}

/** https://cloud.google.com/compute/docs/reference/rest/v1/subnetworks/insert */
export function insertSubnetwork(state: CloudState, path: string, body: Resource): Effect {
  const network = bare(body["network"]);
  state.get(network);
  refuseOverlap(state, path, network, String(body["ipCidrRange"]));
  const region = path.replace(/\/subnetworks\/.*/, "");
  return () => void state.put(path, { ...body, region, fingerprint: print(state) });
}

function refuseOverlap(state: CloudState, path: string, network: string, range: string): void {
  for (const [key, other] of state.things) {
    if (key === path || !key.includes("/subnetworks/") || bare(other["network"]) !== network) continue;
    if (!overlaps(String(other["ipCidrRange"]), range)) continue;
    const region = /\/regions\/([^/]+)/.exec(key)?.[1] ?? "";
    const message = `Invalid IPCidrRange: ${range} conflicts with existing subnetwork '${other.name}' in region '${region}'.`;
    throw new ApiFailure(400, "invalid", message);
  }
}

/** The methods of networks and subnetworks besides insert, get, patch and delete. */
export const networkMethods: Readonly<
  Record<string, (state: CloudState, path: string, body: Record<string, unknown>) => Effect>
> = {
  switchToCustomMode: (state, path) => {
    if (state.get(path)["autoCreateSubnetworks"] !== true) {
      throw new ApiFailure(400, "invalid", "Network is not in auto subnet mode.");
    }
    return () => {
      set(state, path, { autoCreateSubnetworks: false });
      for (const thing of state.things.values()) if (thing["network"] === path) delete thing["automatic"];
    };
  },
  expandIpCidrRange: (state, path, { ipCidrRange }) => {
    refuseOverlap(state, path, bare(state.get(path)["network"]), String(ipCidrRange));
    return () => set(state, path, { ipCidrRange });
  },
  setPrivateIpGoogleAccess:
    (state, path, { privateIpGoogleAccess }) =>
    () =>
      set(state, path, { privateIpGoogleAccess }),
};

/** Resolves the network and subnetwork of an instance's interface, and refuses the same requests as the API. */
export function interfaceOf(state: CloudState, region: string, nic: Record<string, unknown>): Record<string, unknown> {
  if (nic["subnetwork"] === undefined) {
    const network = state.get(bare(nic["network"]));
    if (network["autoCreateSubnetworks"] === true) return nic;
    const message = `Invalid value for field 'resource.networkInterfaces[0]': '${JSON.stringify(nic)}'. Subnetwork should be specified for custom subnetmode network`;
    throw new ApiFailure(400, "invalid", message);
  }
  const path = bare(nic["subnetwork"]);
  const subnetwork = state.get(path);
  if (!path.includes(`/regions/${region}/`)) throw invalid("networkInterfaces[0].subnetwork", path);
  if (nic["network"] !== undefined && bare(nic["network"]) !== bare(subnetwork["network"])) {
    throw invalid("networkInterfaces[0].subnetwork", path);
  }
  return { ...nic, network: subnetwork["network"] };
}

/** The resource that keeps a network or subnetwork from being deleted. */
export function userOf(state: CloudState, path: string): string | undefined {
  for (const [key, { network, networkInterfaces, automatic }] of state.things) {
    const nics = (networkInterfaces ?? []) as { network?: string; subnetwork?: string }[];
    const used = [automatic === true ? undefined : network, ...nics.flatMap((nic) => [nic.network, nic.subnetwork])];
    if (used.some((link) => link !== undefined && bare(link) === path)) return key;
  }
  return undefined;
}

/** Deletes a network with its automatic subnetworks, or a subnetwork. */
export function removeNetwork(state: CloudState, collection: string, path: string): Effect {
  const user = userOf(state, path);
  if (user !== undefined) throw inUse(collection.slice(0, -1), path, user);
  return () => {
    state.things.delete(path);
    for (const [key, thing] of state.things) if (thing["network"] === path) state.things.delete(key);
  };
}
