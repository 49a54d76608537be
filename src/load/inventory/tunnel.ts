import { FurrowError } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";
import type { OpenableTunnel, Tunnel } from "../../core/host/tunnel.ts";

/** The settings of a host that a tunnel depends on. */
export interface TunnelSettings {
  readonly tunnel: Tunnel | undefined;
  readonly transport: Address["transport"];
  /** The inventory's `proxyJump`. */
  readonly proxyJump: string | undefined;
  /** The inventory's `address`, or the host's name. */
  readonly address: string;
}

/** The ids of machines that Session Manager can reach: EC2 instances, and machines with a hybrid activation. */
const instanceId = /^(?:i-[0-9a-f]{8}(?:[0-9a-f]{9})?|mi-[0-9a-f]{17})$/;

/** The names that Compute Engine allows (https://cloud.google.com/compute/docs/naming-resources). */
const instanceName = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The tunnel to a host, if it has one. Throws E_INVENTORY if a host with a tunnel has no instance id or name, or if it
 * also has a jump host or the `openssh` transport.
 */
export function tunnelOf(name: string, settings: TunnelSettings): OpenableTunnel | undefined {
  const { tunnel = "none", transport, proxyJump = "none", address } = settings;
  if (tunnel === "none" || (transport !== "ssh" && transport !== "openssh")) return undefined;
  if (transport === "openssh") {
    throw refused(name, 'has a tunnel, which the transport "openssh" does not open', {
      hint: 'Leave out transport, or set tunnel: "none" and write the command as a ProxyCommand into ssh_config',
    });
  }
  if (proxyJump !== "none") {
    throw refused(name, "has a tunnel and a jump host", {
      current: `proxyJump: "${proxyJump}"`,
      hint: `Set tunnel: "none" or proxyJump: "none" for ${name}; to reach the jump host through a tunnel, set tunnel on the jump host`,
    });
  }
  if (tunnel.iap !== undefined) {
    const { instance = address, project, zone } = tunnel.iap;
    if (instanceName.test(instance)) return { through: "iap", instance, project, zone };
    throw refused(name, "has an IAP tunnel, but no instance name", {
      current: `"${instance}"`,
      expected: "the name of a Compute Engine instance",
      hint: "Set instance in tunnel.iap, or list the host with gceInventory",
    });
  }
  const { instance = address, ...place } = tunnel.sessionManager;
  if (instanceId.test(instance)) return { through: "sessionManager", instance, ...place };
  throw refused(name, "has a Session Manager tunnel, but no instance id", {
    current: `"${instance}"`,
    expected: 'an id, like "i-0123456789abcdef0"',
    hint: "Set instance in tunnel.sessionManager, or list the host with ec2Inventory",
  });
}

interface Details {
  readonly current?: string;
  readonly expected?: string;
  readonly hint: string;
}

function refused(host: string, what: string, details: Details): FurrowError {
  return new FurrowError("E_INVENTORY", { what: `${host} ${what}`, where: { host }, ...details });
}
