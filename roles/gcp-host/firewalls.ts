import type { GceEffectiveFirewalls, GceEffectiveRule } from "../../src/facts/catalogue.ts";
import { overlaps } from "../../tasks/gce-subnetwork/range.ts";
import { isWithin } from "../../tasks/ec2-vpc/network-params.ts";

/** The addresses from which IAP's tunnels come (https://cloud.google.com/iap/docs/using-tcp-forwarding). */
export const iapRange = "35.235.240.0/20";

/** The priority of the role's own rule, which allows the tunnels. */
const ownPriority = 1000;

/** Whether tunnels reach port 22. `by`: the rule that denies them, or a rule that furrow cannot evaluate. */
export type Verdict = { readonly is: "open" } | { readonly is: "denied" | "unsure"; readonly by: string };

/**
 * Decides whether the rules of a network let IAP's tunnels reach machines with a tag, assuming that the role's own rule
 * allows this. The order follows https://cloud.google.com/firewall/docs/firewall-policies-overview, "rule evaluation
 * order".
 */
export function verdictOn(now: GceEffectiveFirewalls, tag: string): Verdict {
  let unsure: string | undefined;
  const isHierarchy = (type: string): boolean => type !== "NETWORK" && type !== "NETWORK_REGIONAL";
  const policies = [
    ...now.policies.filter(({ type }) => isHierarchy(type)),
    ...(now.policiesFirst ? now.policies.filter(({ type }) => !isHierarchy(type)) : []),
  ];
  for (const { name: policy, rules } of policies) {
    for (const rule of rules) {
      const match = matchOf(rule, tag);
      if (match === "none") continue;
      const by = `${rule.name} of the firewall policy ${policy}`;
      if (match === "part" || rule.action === "other") {
        if (rule.action !== "allow") unsure ??= by;
        continue;
      }
      if (rule.action === "deny") return { is: "denied", by };
      if (rule.action === "allow") return unsure === undefined ? { is: "open" } : { is: "unsure", by: unsure };
      break;
    }
  }
  for (const rule of now.rules) {
    // The role's own rule overrides the rules that follow it; a deny rule with the same priority comes before it.
    if (rule.priority > ownPriority || (rule.priority === ownPriority && rule.action !== "deny")) break;
    const match = matchOf(rule, tag);
    if (match === "none") continue;
    const by = `the firewall rule ${rule.name}`;
    if (match === "part") {
      if (rule.action === "deny") unsure ??= by;
      continue;
    }
    if (rule.action === "deny") return { is: "denied", by };
    break;
  }
  return unsure === undefined ? { is: "open" } : { is: "unsure", by: unsure };
}

/** Whether a rule applies to all tunnels to port 22 of a machine, to some (or possibly some), or to none. */
function matchOf(rule: GceEffectiveRule, tag: string): "all" | "part" | "none" {
  // The role's machine has neither a service account nor secure tags.
  if (rule.isTargeted || !rule.ports.some(hasPort22)) return "none";
  if (rule.targetTags.length > 0 && !rule.targetTags.includes(tag)) return "none";
  const ranges = rule.sourceRanges.filter((range) => !range.includes(":"));
  const isCovered = ranges.some((range) => isWithin(iapRange, range));
  if (rule.isConditional)
    return ranges.length === 0 || ranges.some((range) => overlaps(iapRange, range)) ? "part" : "none";
  if (isCovered) return "all";
  return ranges.some((range) => overlaps(iapRange, range)) ? "part" : "none";
}

/** `ports`: one entry of a rule, like `tcp:20-25`. Protocols may be given as numbers; 6 is TCP. */
function hasPort22(ports: string): boolean {
  const [protocol = "", numbers] = ports.split(":");
  if (protocol === "all" || protocol === "") return true;
  if (protocol !== "tcp" && protocol !== "6") return false;
  if (numbers === undefined) return true;
  const [first = "", last = first] = numbers.split("-");
  return Number(first) <= 22 && 22 <= Number(last);
}
