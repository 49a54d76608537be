import { type Absent, absent, refuse, task, z } from "../../src/authoring.ts";
import { firewalld, type FirewalldZone } from "../../src/facts/catalogue.ts";
import { firstNotOpen } from "./zone-open.ts";

const params = z.strictObject({
  zones: z
    .array(
      z.strictObject({
        zone: z.string().describe("Zone of firewalld; empty for the default zone"),
        ports: z.array(z.string()).describe("Ports that must be open in the zone"),
        who: z.string().describe("Who uses the ports"),
      }),
    )
    .describe("The ports that must be open, by zone"),
  opened: z.boolean().describe("Whether the roles open the ports"),
});

/**
 * Refuses a firewalld that keeps a cluster's ports closed: nodes would wait for their boot files until the deadline.
 * Ports that the roles will open are refused only if a rule still denies them.
 */
export const firewallOpen = task({
  name: "firewallOpen",
  summary: "Refuse a host whose firewalld keeps a cluster's ports closed",
  params,
  examples: [],
  title: () => "firewalld allows the cluster's ports",
})
  .facts((p) => ({ zones: p.zones.map(({ zone }) => firewalld(zone)) }))
  .want((p, now) => {
    for (const [at, { ports, who }] of p.zones.entries()) {
      const found = now.zones[at];
      if (found === undefined || found === absent || found.daemon === "stopped") continue;
      if (found.daemon === "failed") {
        return refuse({
          code: "firewall-failed",
          message: "firewalld is running, but failed to apply its configuration when it started",
          hint: "Find the cause in journalctl -u firewalld, then restart firewalld",
        });
      }
      const zones: readonly (FirewalldZone | Absent)[] = [found.runtime, found.permanent];
      // libvirt installs its own zone; the roles open the ports in it once it exists.
      if (p.opened && zones.includes(absent)) continue;
      const problem = firstNotOpen(zones, ports);
      if (problem === undefined || (p.opened && problem.why === "closed")) continue;
      const { port, why } = problem;
      const zone = found.zone;
      return refuse({
        code: "port-closed",
        message: `firewalld keeps port ${port} closed for ${who} (zone ${zone})`,
        current: why === "denied" ? "a rich rule denies it" : "no service, port or rule of the zone allows it",
        expected: "open now and after a reload",
        hint:
          why === "denied"
            ? `Remove the rule that firewall-cmd --zone=${zone} --list-rich-rules shows`
            : `Set openFirewall: true, or open it: firewall-cmd --permanent --zone=${zone} --add-port=${port}, then firewall-cmd --reload`,
      });
    }
    return {};
  })
  .steps(() => []);
