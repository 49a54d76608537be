import { expect, test } from "vitest";
import { finished, label, recapOf } from "../../../test/report/recorded-run.ts";
import { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { RunText } from "../run-text.ts";

const locked = new FurrowError("E_LOCKED", {
  what: "another run holds the host",
  where: { host: "web1", task: "file /etc/motd", source: "/site.ts:3:4" },
  current: "run 0326ce84993f by ann@desk, since 2026-11-27T10:03:55Z",
  hint: "Wait until it has finished, or let furrow wait: --wait-lock 600",
});
const broken = new FurrowError("E_STEP", {
  what: "nginx -t failed",
  where: { host: "web2", task: "service nginx", source: "/site.ts:9:1" },
  details: ["testing", "nginx: [emerg] no such directive"],
  hint: "Read the output",
});

/** Returns what a report shows at the end of a run. */
function shown(hosts: readonly string[], failures: Readonly<Record<string, FurrowError>>): string[] {
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  const ends = Object.entries(failures).map(([host, error]) =>
    finished(host, label("0.0", error.failure.where?.task ?? ""), "failed", { error }),
  );
  const recap = hosts.map((host) =>
    Object.hasOwn(failures, host) ? { ...recapOf(host, { failed: 1 }), end: "failed" } : recapOf(host, { changed: 1 }),
  );
  const end = { type: "runFinished", mode: "apply", recap, durationMs: 42, interrupted: false };
  const start = { type: "runStarted", mode: "apply", hosts, playbook: "site" };
  return [start as unknown as RunEvent, ...ends, end as unknown as RunEvent].flatMap((event) => text.lines(event));
}

test("a host that another run holds is shown as held (by whom, since when, and what to do), not as a failed task", () => {
  const lines = shown(["web1", "web2", "web3"], { web1: locked, web2: broken });
  const at = lines.indexOf("recap");
  expect(lines.slice(0, 5)).toEqual([
    "running site on 3 hosts",
    "web1     held         before file /etc/motd",
    "    E_LOCKED  another run holds the host",
    "      host     web1",
    "      held by  run 0326ce84993f by ann@desk, since 2026-11-27T10:03:55Z",
  ]);
  expect(lines.slice(at)).toEqual([
    "recap",
    "  web1  held by another run, 1 not reached",
    "  web2  1 failed",
    "  web3  1 changed",
    "",
    "failed",
    "  web2  service nginx  site.ts:9:1",
    "    E_STEP: nginx -t failed",
    "    | testing",
    "    | nginx: [emerg] no such directive",
    "    Read the output",
    "",
    "held by other runs",
    "  web1",
    "    E_LOCKED: another run holds the host",
    "    | run 0326ce84993f by ann@desk, since 2026-11-27T10:03:55Z",
    "    Wait until it has finished, or let furrow wait: --wait-lock 600",
    "",
    "1 changed, 0 ok, 1 failed, 1 host held, 1 not reached on 3 hosts in 42 ms",
  ]);
});

test("a host that was held or not reached at its first task has not reached that task either", () => {
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  const task = label("0.0", "file /etc/motd");
  const lost = new FurrowError("E_UNREACHABLE", { what: "no connection" });
  const events = [
    { type: "hostConnected", host: "web1", durationMs: 1 },
    { type: "hostConnected", host: "web3", durationMs: 1 },
    finished("web1", task, "failed", { error: locked }),
    finished("web2", task, "unreachable", { error: lost }),
    finished("web3", task, "unreachable", { error: lost }),
    finished("web4", task, "unreachable", { error: lost }),
    {
      type: "runFinished",
      mode: "apply",
      recap: [
        recapOf("web1", { failed: 1 }, { left: 2, next: "two" }),
        recapOf("web2", { unreachable: 1 }, { left: 4, next: "two" }),
        recapOf("web3", { unreachable: 1 }, { left: 4, next: "two" }),
        recapOf("web4", { unreachable: 1 }),
      ],
      durationMs: 42,
      interrupted: false,
    },
  ] as unknown as RunEvent[];
  const lines = events.flatMap((event) => text.lines(event));
  expect(lines.slice(lines.indexOf("recap"), lines.indexOf("failed"))).toEqual([
    "recap",
    "  web1  held by another run, 3 not reached",
    "  web2  unreachable, 5 not reached",
    "  web3  1 unreachable, 4 not reached (from two)",
    "  web4  unreachable, 1 not reached",
    "",
  ]);
  expect(lines.at(-1)).toBe("0 changed, 0 ok, 1 host held, 3 unreachable, 13 not reached on 4 hosts in 42 ms");
});

test("with one host, the recap names the task, the error and the cause, but repeats neither details nor hint", () => {
  const failed = shown(["web2"], { web2: broken });
  expect(failed.slice(failed.indexOf("failed"))).toEqual([
    "failed",
    "  service nginx  site.ts:9:1  E_STEP: nginx -t failed",
    "    | testing",
    "    | nginx: [emerg] no such directive",
    "",
    "0 changed, 0 ok, 1 failed on 1 host in 42 ms",
  ]);
  const held = shown(["web1"], { web1: locked });
  expect(held.slice(held.indexOf("held by other runs"))).toEqual([
    "held by other runs",
    "  web1  E_LOCKED: another run holds the host",
    "    | run 0326ce84993f by ann@desk, since 2026-11-27T10:03:55Z",
    "",
    "0 changed, 0 ok, 1 host held, 1 not reached on 1 host in 42 ms",
  ]);
});
