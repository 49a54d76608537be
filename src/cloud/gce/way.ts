import { isFurrowError } from "../../core/errors.ts";
import { absent, type Absent } from "../../core/facts/symbols.ts";
import type {
  GceEffectiveFirewalls,
  GceEffectiveRule,
  GceNat,
  GceNats,
  GcePlace,
} from "../../facts/cloud/gce/index.ts";
import { ask } from "./ask.ts";
import { apiError, isAbsent } from "./errors.ts";
import { shortName, textOf } from "./views.ts";

type Raw = Readonly<Record<string, unknown>>;

/** A network's rules for incoming traffic; absent if there is no such network. Throws FurrowError E_DRIVER. */
export async function effectiveFirewalls(
  { project, name }: GcePlace,
  signal: AbortSignal,
): Promise<GceEffectiveFirewalls | Absent> {
  const what = `read the effective firewall rules of the network ${name}`;
  const request = { project, network: name };
  const isGone = (error: unknown): boolean => isAbsent(apiError(error), `networks/${name}`);
  try {
    const network = (await ask({ client: "networks", method: "get", request, what }, signal, isGone)) as Raw;
    const method = "getEffectiveFirewalls";
    const found = (await ask({ client: "networks", method, request, what }, signal, isGone)) as Raw;
    return {
      policies: list(found["firewallPolicys"]).map((policy) => ({
        name: textOf(policy["shortName"]) || textOf(policy["displayName"]) || textOf(policy["name"]),
        type: textOf(policy["type"]),
        rules: inOrder(list(policy["rules"]).flatMap(policyRule)),
      })),
      rules: inOrder(list(found["firewalls"]).flatMap(networkRule)),
      policiesFirst: network["networkFirewallPolicyEnforcementOrder"] === "BEFORE_CLASSIC_FIREWALL",
    };
  } catch (error) {
    if (!isFurrowError(error) && isGone(error)) return absent;
    throw error;
  }
}

/** https://cloud.google.com/compute/docs/reference/rest/v1/firewallPolicies, rules[] */
function policyRule(rule: Raw): GceEffectiveRule[] {
  if (rule["direction"] === "EGRESS" || rule["disabled"] === true) return [];
  const match = (rule["match"] ?? {}) as Raw;
  const conditions = [
    "srcAddressGroups",
    "srcFqdns",
    "srcRegionCodes",
    "srcSecureTags",
    "srcThreatIntelligences",
    "srcNetworks",
    "destAddressGroups",
    "destFqdns",
    "destIpRanges",
  ];
  const said = textOf(rule["action"]);
  const words: Readonly<Record<string, GceEffectiveRule["action"]>> = {
    allow: "allow",
    deny: "deny",
    goto_next: "next",
  };
  return [
    {
      name: textOf(rule["ruleName"]) || `the rule with priority ${String(rule["priority"])}`,
      action: words[said] ?? "other",
      priority: Number(rule["priority"] ?? 0),
      ports: list(match["layer4Configs"]).flatMap(({ ipProtocol, ports }) => portsOf(textOf(ipProtocol), ports)),
      sourceRanges: texts(match["srcIpRanges"]),
      targetTags: [],
      isTargeted: texts(rule["targetServiceAccounts"]).length > 0 || list(rule["targetSecureTags"]).length > 0,
      isConditional:
        conditions.some((name) => list(match[name]).length > 0) ||
        textOf(match["srcNetworkType"] ?? match["srcNetworkContext"]) !== "" ||
        texts(rule["targetResources"]).length > 0,
    },
  ];
}

/** https://cloud.google.com/compute/docs/reference/rest/v1/firewalls */
function networkRule(rule: Raw): GceEffectiveRule[] {
  if (rule["direction"] === "EGRESS" || rule["disabled"] === true) return [];
  const denied = list(rule["denied"]);
  const entries = denied.length > 0 ? denied : list(rule["allowed"]);
  return [
    {
      name: textOf(rule["name"]),
      action: denied.length > 0 ? "deny" : "allow",
      priority: Number(rule["priority"] ?? 1000),
      ports: entries.flatMap(({ IPProtocol, ports }) => portsOf(textOf(IPProtocol), ports)),
      sourceRanges: texts(rule["sourceRanges"]),
      targetTags: texts(rule["targetTags"]),
      isTargeted: texts(rule["targetServiceAccounts"]).length > 0,
      isConditional: false,
    },
  ];
}

function portsOf(protocol: string, ports: unknown): string[] {
  const numbers = texts(ports);
  return numbers.length === 0 ? [protocol] : numbers.map((port) => `${protocol}:${port}`);
}

/** Sorts rules in the order in which they are evaluated: at the same priority, a deny rule comes first. */
function inOrder(rules: readonly GceEffectiveRule[]): GceEffectiveRule[] {
  const rank = ({ action }: GceEffectiveRule): number => (action === "deny" ? 0 : 1);
  return rules.toSorted((a, b) => a.priority - b.priority || rank(a) - rank(b));
}

/** The Cloud NATs of a network in a region, except private ones, which do not lead to the internet. */
export async function nats({ project, region, name }: GcePlace, signal: AbortSignal): Promise<GceNats> {
  const what = `list the routers of ${region ?? ""}`;
  const request = { project, region, maxResults: 500 };
  const isDenied = (error: unknown): boolean => apiError(error).status === 403;
  try {
    const found = (await ask({ client: "routers", method: "list", request, what }, signal, isDenied)) as Raw[];
    const own = found.filter(({ network }) => shortName(network) === name);
    return {
      known: true,
      nats: own.flatMap((router) =>
        list(router["nats"]).flatMap((nat) => (nat["type"] === "PRIVATE" ? [] : [natOf(router, nat)])),
      ),
    };
  } catch (error) {
    if (!isFurrowError(error) && isDenied(error)) return { known: false, nats: [] };
    throw error;
  }
}

function natOf(router: Raw, nat: Raw): GceNat {
  const isList = nat["sourceSubnetworkIpRangesToNat"] === "LIST_OF_SUBNETWORKS";
  return {
    name: `${textOf(router["name"])}/${textOf(nat["name"])}`,
    subnetworks: isList ? list(nat["subnetworks"]).map(({ name }) => shortName(name)) : "all",
  };
}

function list(value: unknown): readonly Raw[] {
  return (value ?? []) as readonly Raw[];
}

function texts(value: unknown): string[] {
  return [...((value ?? []) as readonly string[])];
}
