import { FurrowError } from "../../src/core/errors.ts";
import type { Counts, FactChange, HostRecap, Mode, RunEvent } from "../../src/core/events.ts";
import { absent } from "../../src/core/facts/symbols.ts";
import { failure, finished, label, recapOf } from "./recorded-run.ts";

/** The host names in a fleet: `web001` and so on. */
export function fleetNames(size: number): string[] {
  return Array.from({ length: size }, (_, at) => `web${String(at + 1).padStart(3, "0")}`);
}

/** How some hosts of a fleet differ from the others. */
export interface Odd {
  /** The old text of a file that was edited by hand, keyed by host. */
  readonly edited?: Readonly<Record<string, string>>;
  /** Hosts on which the service does not start. */
  readonly broken?: readonly string[];
  /** Hosts that refuse the connection. */
  readonly down?: readonly string[];
}

const motd = label("0", "file /etc/motd");
const nginx = label("1", "package nginx");
const conf = label("2", "file /etc/nginx/nginx.conf", { path: ["web-server"] });
const unit = label("3", "service nginx");

function change(fact: string, ...differences: FactChange["differences"]): FactChange {
  return { fact, differences, secret: false };
}

/** The events on one host, grouped by task, in order. */
function hostEvents(host: string, mode: Mode, odd: Odd): RunEvent[][] {
  const old = odd.edited?.[host] ?? "welcome\n";
  const isBroken = odd.broken?.includes(host) === true;
  const error = failure.at({ host });
  const started = finished(host, unit, "changed", {
    changes: [change("unit:nginx.service", { path: "state", from: "inactive", to: "active" })],
  });
  return [
    [
      { type: "hostPlanned", host, tasks: 4 },
      finished(host, motd, "changed", {
        changes: [change("file:/etc/motd", { path: "text", from: old, to: "welcome\nto the fleet\n" })],
      }),
    ],
    [
      finished(host, nginx, "changed", {
        changes: [change("package:nginx", { path: "", from: absent, to: { version: "1.22.1-9" } })],
        durationMs: 4000 + Number(host.slice(3)) * 10,
      }),
    ],
    [
      finished(host, conf, "changed", {
        changes: [change("file:/etc/nginx/nginx.conf", { path: "mode", from: "0600", to: "0644" })],
      }),
    ],
    isBroken && mode === "apply"
      ? [
          finished(host, unit, "failed", { error, durationMs: 2100 }),
          { type: "hostStopped", host, outcome: "failed", error },
        ]
      : [started, { type: "hostDone", host }],
  ];
}

/** The events in a run of four tasks on a fleet. Hosts run in parallel, each a little behind the previous host. */
export function fleetRun(mode: Mode, size: number, odd: Odd = {}): RunEvent[] {
  const hosts = fleetNames(size);
  const up = hosts.filter((host) => odd.down?.includes(host) !== true);
  const lanes = up.map((host) => hostEvents(host, mode, odd));
  const lost = (host: string): FurrowError =>
    new FurrowError("E_UNREACHABLE", {
      what: `192.0.2.${Number(host.slice(3))} port 22 refuses the connection`,
      where: { host },
      hint: "Check that sshd runs there",
    });
  const between: RunEvent[] = [];
  // A host that is far ahead of the last host has already started its next task.
  for (let turn = 0; turn < up.length + 3 * 40; turn += 1) {
    for (const [at, lane] of lanes.entries()) {
      const step = turn - at;
      if (step >= 0 && step % 40 === 0) between.push(...(lane[step / 40] ?? []));
    }
  }
  return [
    { type: "runStarted", run: "4f2a", playbook: "The fleet", mode, hosts, version: "0.1.0" },
    { type: "playStarted", play: "web", hosts },
    ...(odd.down ?? []).map((host): RunEvent => ({
      type: "hostStopped",
      host,
      outcome: "unreachable",
      error: lost(host),
    })),
    ...between,
    {
      type: "runFinished",
      run: "4f2a",
      mode,
      durationMs: 12_300,
      interrupted: false,
      recap: hosts.map((host) => recapFor(host, mode, odd)),
    },
  ];
}

function recapFor(host: string, mode: Mode, odd: Odd): HostRecap {
  if (odd.down?.includes(host)) return recapOf(host, {}, { end: "unreachable", left: 4, next: "file /etc/motd" });
  const isBroken = mode === "apply" && odd.broken?.includes(host) === true;
  const counts: Partial<Counts> = isBroken ? { changed: 3, failed: 1 } : { changed: 4 };
  return recapOf(host, counts);
}
