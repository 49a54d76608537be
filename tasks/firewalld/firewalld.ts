import { absent, peek, program, refuse, type Refusal, type Step, task, z } from "../../src/authoring.ts";
import {
  firewalld as firewalldFact,
  type Firewalld,
  type FirewalldZone,
  type Members,
} from "../../src/facts/catalogue.ts";
import { closed, opened, type PortChange } from "./ports.ts";

const params = z
  .strictObject({
    zone: z
      .string()
      .regex(/^[\w-]{1,17}$/, 'the name of a zone, like "public"')
      .optional()
      .describe("Zone of firewalld; default: its default zone"),
    services: z
      .array(z.string().regex(/^[\w.-]+$/, 'the name of a service, like "http"'))
      .default([])
      .describe("Services that the zone allows, by their firewalld names"),
    ports: z
      .array(z.string().regex(/^\d+(-\d+)?\/(tcp|udp|sctp|dccp)$/, 'a port with its protocol, like "443/tcp"'))
      .default([])
      .describe("Ports that the zone allows, with their protocol"),
    rules: z
      .array(z.string().regex(/^rule [^\n]+$/, "a rich rule, which begins with rule"))
      .default([])
      .describe("Rich rules, written as firewall-cmd --list-rich-rules prints them"),
    state: z
      .enum(["present", "absent"], { error: '"present" or "absent"' })
      .default("present")
      .describe("Whether the zone allows these services, ports and rules, now and after a reboot"),
    zoneFrom: z
      .string()
      .regex(/^[\w.+-]+$/, 'the name of a program, like "virsh"')
      .optional()
      .describe(
        "Program whose package provides the zone. If an earlier task installs it, check mode does not refuse a missing zone",
      ),
    optional: z
      .boolean()
      .default(false)
      .describe("Do nothing on a host where firewalld is not installed or not running; default: refuse"),
  })
  .refine((p) => p.services.length + p.ports.length + p.rules.length > 0, {
    message: "at least one of `services`, `ports` and `rules`",
  });

type Params = z.output<typeof params>;

/**
 * Manages services, ports and rich rules in a zone of firewalld, in its running and its permanent configuration. Never
 * reloads firewalld: a reload would drop changes that others have made only to the running configuration.
 */
export const firewalld = task({
  name: "firewalld",
  summary: "Manage services, ports and rich rules in a zone of firewalld, now and after a reboot",
  params,
  examples: [
    { services: ["https"], ports: ["6443/tcp"] },
    { zone: "libvirt", services: ["http"], optional: true },
    {
      rules: ['rule family="ipv4" source address="192.0.2.0/24" port port="443" protocol="tcp" accept'],
      state: "absent",
    },
  ],
  title: (p) => `firewalld ${p.zone ?? "default zone"}: ${[...p.services, ...p.ports, ...p.rules].join(", ")}`,
})
  .facts((p) => ({
    firewall: firewalldFact(p.zone ?? ""),
    ...(p.zoneFrom !== undefined && { bringer: program(p.zoneFrom) }),
  }))
  .want((p, now) => {
    const firewall = peek(now, "firewall");
    if (firewall === absent) return p.optional ? {} : notInstalled();
    if (now.firewall === absent) return {};
    if (now.firewall.daemon === "stopped") return p.optional ? {} : notRunning();
    if (now.firewall.daemon === "failed") return failed();
    if (now.firewall.permanent === absent || now.firewall.runtime === absent) {
      return noZone(p, now.firewall, now.bringer);
    }
    const { runtime, permanent } = now.firewall;
    return { firewall: { runtime: wantedIn(runtime, p), permanent: wantedIn(permanent, p) } };
  })
  .steps((p, { change, now }) => {
    if (change.firewall === undefined || now.firewall === absent) return [];
    const { zone, runtime, permanent } = now.firewall;
    return [...stepsFor(p, zone, runtime, []), ...stepsFor(p, zone, permanent, ["--permanent"])];
  })
  .notes((p, { firewall }) =>
    p.optional && firewall !== absent && firewall.daemon === "stopped"
      ? ["firewalld is installed but not running; once started, it may block this traffic"]
      : [],
  );

function wantedIn(now: FirewalldZone, p: Params): Pick<FirewalldZone, "services" | "ports" | "rules"> {
  return { services: wanted(p.services, p), ports: portChange(now, p).members, rules: wanted(p.rules, p) };
}

function portChange({ ports }: FirewalldZone, p: Params): PortChange {
  return (p.state === "present" ? opened : closed)(ports, p.ports);
}

function wanted(names: readonly string[], { state }: Params): Members {
  return Object.fromEntries(names.map((name) => [name, state === "present" ? true : absent]));
}

/** Returns one step for each member that must be added to a configuration or removed from it. */
function stepsFor(p: Params, zone: string, now: FirewalldZone | typeof absent, options: readonly string[]): Step[] {
  if (now === absent) return [];
  const isWanted = p.state === "present";
  const differing = (names: readonly string[], have: Members): string[] =>
    names.filter((name) => (have[name] === true) !== isWanted);
  const parts = [
    { option: "service", names: differing(p.services, now.services) },
    { option: "port", names: portChange(now, p).names },
    { option: "rich-rule", names: differing(p.rules, now.rules) },
  ];
  return parts.flatMap(({ option, names }) =>
    names.map((name): Step => {
      const words = [...options, `--zone=${zone}`, `--${isWanted ? "add" : "remove"}-${option}=${name}`];
      return { step: "run", label: `firewall-cmd ${words.join(" ")}`, argv: ["firewall-cmd", "-q", ...words] };
    }),
  );
}

function notInstalled(): Refusal {
  return refuse({
    code: "not-installed",
    message: "firewalld is not installed on this host",
    hint: 'Put package({ name: "firewalld" }) before this task, or set optional: true',
  });
}

function notRunning(): Refusal {
  return refuse({
    code: "not-running",
    message: "firewalld is installed on this host, but not running",
    hint: 'Put service({ name: "firewalld", state: "started", enabled: true }) before this task, or set optional: true',
  });
}

function failed(): Refusal {
  return refuse({
    code: "failed",
    message: "firewalld is running, but failed to apply its configuration when it started",
    hint: "Find the cause in journalctl -u firewalld, then restart firewalld",
  });
}

/**
 * Refuses a zone that does not exist. The last argument is the fact about the program that provides the zone: reading
 * it makes the outcome undecided if an earlier task may install the program.
 */
function noZone(p: Params, { zone, permanent }: Firewalld, _bringer: unknown): Refusal {
  return refuse({
    code: "no-zone",
    message: `firewalld has no zone ${zone}${permanent === absent ? "" : " in its running configuration"}`,
    hint:
      permanent === absent
        ? `Create it (firewall-cmd --permanent --new-zone=${p.zone ?? zone}) and reload firewalld`
        : "Reload firewalld: firewall-cmd --reload",
  });
}
