import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import type { GcePlace } from "./values.ts";

/** A rule for a network's incoming traffic. */
export interface GceEffectiveRule {
  readonly name: string;
  /** `next`: the next policy decides; `other`: an action that furrow does not know, such as an inspection. */
  readonly action: "allow" | "deny" | "next" | "other";
  /** The rule with the smallest number takes precedence. */
  readonly priority: number;
  /** `all`, `tcp`, `tcp:22`, `tcp:8000-8100`. */
  readonly ports: readonly string[];
  readonly sourceRanges: readonly string[];
  /** Network tags of the machines that the rule applies to; empty for all. */
  readonly targetTags: readonly string[];
  /** True if the rule applies only to certain service accounts or secure tags. */
  readonly isTargeted: boolean;
  /** True if the rule has conditions in addition to the source ranges: names, countries, other networks. */
  readonly isConditional: boolean;
}

/** A firewall policy of the organization, of a folder, or of the network itself. */
export interface GceEffectivePolicy {
  readonly name: string;
  /** HIERARCHY, NETWORK, … */
  readonly type: string;
  readonly rules: readonly GceEffectiveRule[];
}

/** All of a network's rules for incoming traffic, as Compute Engine applies them. */
export interface GceEffectiveFirewalls {
  /** The policies, in evaluation order. */
  readonly policies: readonly GceEffectivePolicy[];
  /** The network's firewall rules. */
  readonly rules: readonly GceEffectiveRule[];
  /** True if the network's policies are evaluated before its firewall rules. */
  readonly policiesFirst: boolean;
}

/** A Cloud NAT of a network in one region. */
export interface GceNat {
  /** `ROUTER/NAT`. */
  readonly name: string;
  /** The names of the subnetworks that the Cloud NAT serves; `all` for every subnetwork of the region. */
  readonly subnetworks: "all" | readonly string[];
}

/** The Cloud NATs of a network in one region. */
export interface GceNats {
  /** False if the credentials do not permit the call. */
  readonly known: boolean;
  readonly nats: readonly GceNat[];
}

/** Asks for all of a network's rules for incoming traffic; absent if there is no such network. */
export function gceEffectiveFirewalls({ project, name }: GcePlace): ControllerFact<GceEffectiveFirewalls | Absent> {
  return { driver: "gce", request: { get: "effectiveFirewalls", project, name } };
}

/** Asks for the Cloud NATs of a network in a region. */
export function gceNats({ project, region = "", name }: GcePlace): ControllerFact<GceNats> {
  return { driver: "gce", request: { get: "nats", project, region, name } };
}
