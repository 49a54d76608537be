import { type Absent, absent } from "../../src/authoring.ts";
import { type FirewalldZone, memberNames } from "../../src/facts/catalogue.ts";

/** The ports of firewalld's services that a cluster uses, as in firewalld's own service files. */
const servicePorts: Readonly<Record<string, readonly string[]>> = {
  dhcp: ["67/udp"],
  dns: ["53/tcp", "53/udp"],
  http: ["80/tcp"],
  https: ["443/tcp"],
  ntp: ["123/udp"],
  tftp: ["69/udp"],
};

/**
 * Says how a zone treats a port: `open`; `closed`, because nothing allows it; or `denied` by a rich rule, which also
 * overrides an added service or port. Ignores rich rules for specific addresses, and rules with a positive priority,
 * which are evaluated last.
 */
export function portIn(zone: FirewalldZone, port: string): "open" | "closed" | "denied" {
  const rules = memberNames(zone.rules)
    .map(parseRule)
    .filter((rule) => rule.everyone && concerns(rule, port));
  if (rules.some(({ verdict, priority }) => verdict === "deny" && priority <= 0)) return "denied";
  const isListed =
    memberNames(zone.ports).some((listed) => contains(listed, port)) ||
    memberNames(zone.services).some((name) => servicePorts[name]?.includes(port)) ||
    rules.some(({ verdict }) => verdict === "accept");
  if (isListed) return "open";
  const last = rules.find(({ verdict }) => verdict === "deny");
  return zone.target === "ACCEPT" && last === undefined ? "open" : "closed";
}

interface Rule {
  readonly verdict: "accept" | "deny" | "other";
  readonly priority: number;
  /** False if the rule applies only to specific addresses. */
  readonly everyone: boolean;
  readonly port: string | undefined;
  readonly service: string | undefined;
  /** False if the rule applies to a protocol, ICMP or anything else that is not a port. */
  readonly ports: boolean;
}

function parseRule(text: string): Rule {
  const port = /\bport port="([\d-]+)" protocol="(\w+)"/.exec(text);
  return {
    verdict: /\b(reject|drop)\b/.test(text) ? "deny" : /\baccept\b/.test(text) ? "accept" : "other",
    priority: Number(/\bpriority="(-?\d+)"/.exec(text)?.[1] ?? 0),
    everyone: !/\b(source|destination)\b/.test(text),
    port: port ? `${port[1]}/${port[2]}` : undefined,
    service: /\bservice name="([^"]+)"/.exec(text)?.[1],
    ports: !/\b(protocol value|icmp-block|icmp-type|masquerade|forward-port|source-port)\b/.test(text),
  };
}

function concerns({ port: own, service, ports }: Rule, port: string): boolean {
  if (!ports) return false;
  if (own !== undefined) return contains(own, port);
  return service === undefined || (servicePorts[service]?.includes(port) ?? false);
}

function contains(listed: string, port: string): boolean {
  const [range = "", protocol] = listed.split("/");
  const [first = "", last = first] = range.split("-");
  const [number, own] = port.split("/");
  return protocol === own && Number(first) <= Number(number) && Number(number) <= Number(last);
}

/** Returns the first port that is not open now, or would not be open after a reload, and why. */
export function firstNotOpen(
  zones: readonly (FirewalldZone | Absent)[],
  ports: readonly string[],
): { readonly port: string; readonly why: "closed" | "denied" } | undefined {
  for (const port of ports) {
    const found = zones.map((zone) => (zone === absent ? "closed" : portIn(zone, port)));
    if (found.includes("denied")) return { port, why: "denied" };
    if (found.includes("closed")) return { port, why: "closed" };
  }
  return undefined;
}
