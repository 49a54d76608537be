import type { ControllerFact, Json } from "../../core/facts/fact.ts";

/** A machine that SSH reaches through its cloud; region and profile default to those of the `aws` program. */
export type SshTunnel =
  | { readonly sessionManager: { readonly instance: string; readonly region?: string | undefined } }
  | { readonly iap: { readonly instance: string; readonly project: string; readonly zone: string } };

/** How SSH reaches a machine that the controller cannot reach directly at its address. */
export type SshWay =
  | { readonly tunnel: SshTunnel }
  | {
      readonly address: string;
      /** A jump host as in an inventory: its name, or `user@host:port`. */
      readonly proxyJump: string;
    };

/** Whether something can be reached; if not, the reason. */
export type SshReached =
  | { readonly open: true }
  | {
      readonly open: false;
      /** What failed, with the last lines of output of the program or host that refused. */
      readonly said: string;
      /** A hint, as a sentence that begins with a verb. */
      readonly hint: string;
      /** True if waiting would not help. */
      readonly final: boolean;
    };

/** Seconds for one attempt. Programs that open tunnels need some of this time to start. */
const timeoutSeconds = 30;

/** Asks whether the SSH server on a port of a machine can be reached from the controller in the given way. */
export function sshPort(port: number, way: SshWay): ControllerFact<SshReached> {
  return { driver: "ssh", request: { ask: "port", port, timeoutSeconds, ...wayOf(way) } };
}

/**
 * Asks, before the machine exists, whether the controller has what it needs to reach the machine in the given way: the
 * programs that open a tunnel through the cloud, or a login on the jump host.
 */
export function sshReady(
  way: { readonly tunnel: "sessionManager" | "iap" } | { readonly proxyJump: string },
): ControllerFact<SshReached> {
  return { driver: "ssh", request: { ask: "ready", timeoutSeconds, ...way } };
}

/** The way with its fields in a fixed order, because the request is the fact's identity. */
function wayOf(way: SshWay): { readonly [key: string]: Json } {
  if (!("tunnel" in way)) return { address: way.address, proxyJump: way.proxyJump };
  if ("iap" in way.tunnel) {
    const { instance, project, zone } = way.tunnel.iap;
    return { tunnel: { iap: { instance, project, zone } } };
  }
  const { instance, region } = way.tunnel.sessionManager;
  return { tunnel: { sessionManager: { instance, ...(region !== undefined && { region }) } } };
}
