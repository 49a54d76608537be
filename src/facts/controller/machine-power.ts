import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";
import type { RefusalReason } from "../../core/authoring/refusal.ts";

/** The power state of a machine, as its management controller reports it. */
export type PowerState = "on" | "off" | "powering on" | "powering off";

/** What a machine's management controller reports, or why it does not respond. */
export interface MachinePower {
  /** The power state; undefined if there is a problem. */
  readonly power?: PowerState | undefined;
  /** The supported power actions, by their names in the protocol; undefined if the controller does not list them. */
  readonly ways?: readonly string[] | undefined;
  readonly problem?: RefusalReason | undefined;
}

/** How to reach a management controller over Redfish. */
export interface RedfishAccess {
  /** `https://bmc-1.example.org`. */
  readonly url: string;
  readonly user: string;
  /** The password, which may be secret. */
  readonly password: string;
  /** The path or the Id of the machine; undefined if there is only one. */
  readonly system?: string | undefined;
  /** PEM certificates to trust instead of the usual ones. */
  readonly caCert?: string | undefined;
  /** The SHA-256 of the only certificate to accept, in hex without colons. */
  readonly fingerprint?: string | undefined;
  /** True to accept any certificate. */
  readonly insecure?: boolean | undefined;
}

/** How to reach a management controller over IPMI. */
export interface IpmiAccess {
  readonly address: string;
  readonly port?: number | undefined;
  readonly user: string;
  /** The password, which may be secret. */
  readonly password: string;
  readonly cipherSuite?: number | undefined;
}

/** A change to a machine's power state. */
export interface PowerChange {
  readonly to: "on" | "off" | "cycled";
  /** Whether to switch the machine off if it does not shut down by itself. */
  readonly force: boolean;
  /** Seconds to wait for the machine to shut down. */
  readonly shutdownSeconds: number;
  /** Seconds after which a machine that was switched on or off must be in the new state. */
  readonly deadlineSeconds: number;
}

/** Asks a management controller over Redfish for the power state. */
export function redfishPowerOf(access: RedfishAccess): ControllerFact<MachinePower> {
  return { driver: "redfish", request: plain(access) };
}

/** Asks a management controller over IPMI for the power state. */
export function ipmiPowerOf(access: IpmiAccess): ControllerFact<MachinePower> {
  return { driver: "ipmi", request: plain(access) };
}

/** A step that changes a machine's power state over Redfish, and waits for the new state. */
export function redfishPowerCall(access: RedfishAccess, change: PowerChange, label: string): CallStep {
  return { step: "call", driver: "redfish", request: { ...plain(access), change: { ...change } }, label };
}

/** A step that changes a machine's power state over IPMI, and waits for the new state. */
export function ipmiPowerCall(access: IpmiAccess, change: PowerChange, label: string): CallStep {
  return { step: "call", driver: "ipmi", request: { ...plain(access), change: { ...change } }, label };
}

function plain(access: object): { readonly [name: string]: Json } {
  return Object.fromEntries(Object.entries(access).filter(([, value]) => value !== undefined));
}
