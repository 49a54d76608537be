import { expect, test } from "vitest";
import type { GceEffectiveFirewalls, GceEffectiveRule } from "../../src/facts/catalogue.ts";
import { verdictOn } from "./firewalls.ts";

const rule = (more: Partial<GceEffectiveRule>): GceEffectiveRule => ({
  name: "rule",
  action: "deny",
  priority: 900,
  ports: ["all"],
  sourceRanges: ["0.0.0.0/0"],
  targetTags: [],
  isTargeted: false,
  isConditional: false,
  ...more,
});
const open: GceEffectiveFirewalls = { policies: [], rules: [], policiesFirst: false };
const inNetwork = (...rules: GceEffectiveRule[]): GceEffectiveFirewalls => ({ ...open, rules });
const inPolicy = (type: string, ...rules: GceEffectiveRule[]): GceEffectiveFirewalls => ({
  ...open,
  policies: [{ name: "base", type, rules }],
});

test.each([
  { title: "no rule", now: open, is: "open" },
  { title: "a deny rule that is evaluated first", now: inNetwork(rule({})), is: "denied" },
  { title: "a deny rule with the same priority", now: inNetwork(rule({ priority: 1000 })), is: "denied" },
  { title: "a deny rule that is evaluated later", now: inNetwork(rule({ priority: 1001 })), is: "open" },
  { title: "a deny rule for other machines", now: inNetwork(rule({ targetTags: ["db"] })), is: "open" },
  { title: "a deny rule for these machines", now: inNetwork(rule({ targetTags: ["web"] })), is: "denied" },
  { title: "a deny rule for a service account", now: inNetwork(rule({ isTargeted: true })), is: "open" },
  {
    title: "a deny rule for another port",
    now: inNetwork(rule({ ports: ["tcp:80", "udp", "tcp:23-90"] })),
    is: "open",
  },
  { title: "a deny rule for a range of ports", now: inNetwork(rule({ ports: ["tcp:20-30"] })), is: "denied" },
  { title: "a deny rule for other sources", now: inNetwork(rule({ sourceRanges: ["10.0.0.0/8"] })), is: "open" },
  { title: "a deny rule for some tunnels", now: inNetwork(rule({ sourceRanges: ["35.235.241.0/24"] })), is: "unsure" },
  {
    title: "an earlier allow rule",
    now: inNetwork(rule({ action: "allow", priority: 100, ports: ["tcp:22"] }), rule({})),
    is: "open",
  },
  { title: "a deny rule of the organization", now: inPolicy("HIERARCHY", rule({})), is: "denied" },
  { title: "a deny rule with a condition", now: inPolicy("HIERARCHY", rule({ isConditional: true })), is: "unsure" },
  { title: "an inspection", now: inPolicy("HIERARCHY", rule({ action: "other" })), is: "unsure" },
  {
    title: "a rule that leaves the decision to the network",
    now: inPolicy("HIERARCHY", rule({ action: "next", priority: 1 }), rule({})),
    is: "open",
  },
  { title: "a network policy that is evaluated later", now: inPolicy("NETWORK", rule({})), is: "open" },
  {
    title: "a network policy that is evaluated first",
    now: { ...inPolicy("NETWORK", rule({})), policiesFirst: true },
    is: "denied",
  },
])("with $title, tunnels are $is", ({ now, is }) => {
  expect(verdictOn(now, "web").is).toBe(is);
});
