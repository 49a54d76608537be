import { expect, it } from "vitest";
import { fleetNames } from "../../../test/report/fleet.ts";
import { failure, finished, label } from "../../../test/report/recorded-run.ts";
import { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { paintFor } from "../text/colours.ts";
import { Progress } from "./progress.ts";

function started(hosts: readonly string[]): RunEvent {
  return { type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts, version: "0" };
}

it("gives no estimate of the time left while a running task takes longer than any finished one", () => {
  const progress = new Progress();
  const hosts = fleetNames(40);
  const [before, slow, after] = [label("0", "file /tmp/a"), label("1", "slow work"), label("2", "file /tmp/b")];
  const begin = (task: typeof slow, now: number): void => {
    for (const host of hosts) progress.handle({ type: "taskStarted", host, task, attempt: 1 }, now);
  };
  const end = (task: typeof slow, now: number, of = hosts): void => {
    for (const host of of) progress.handle(finished(host, task, "changed"), now);
  };
  const last = (now: number): string | undefined =>
    progress.lines({ rows: 24, columns: 200, now, spinner: "*", paint: paintFor(false) }).at(-1);
  progress.handle(started(hosts), 0);
  progress.handle({ type: "playStarted", play: "all", hosts }, 0);
  for (const host of hosts) progress.handle({ type: "hostPlanned", host, tasks: 3 }, 0);
  for (const host of hosts) progress.handle({ type: "hostConnected", host, durationMs: 1 }, 0);
  begin(before, 0);
  end(before, 1500);
  begin(slow, 1500);
  for (const now of [5, 12, 20, 31]) expect(last(now * 1000)).not.toMatch(/ left/);
  end(slow, 31_500, hosts.slice(1));
  expect(last(31_600)).toMatch(/79 of 120 tasks · about 20 s left/);
  begin(after, 31_600);
  expect(last(32_000)).toMatch(/about 20 s left/);
});

it("counts hosts that another run holds as held, not as failed", () => {
  const progress = new Progress();
  const hosts = fleetNames(40);
  progress.handle(started(hosts), 0);
  progress.handle({ type: "playStarted", play: "all", hosts }, 0);
  const locked = new FurrowError("E_LOCKED", { what: "another run holds the host" });
  const stop = (host: string, error: FurrowError): void =>
    progress.handle({ type: "hostStopped", host, outcome: "failed", error }, 0);
  stop("web001", locked);
  stop("web002", locked);
  const last = (): string | undefined =>
    progress.lines({ rows: 24, columns: 200, now: 0, spinner: "*", paint: paintFor(false) }).at(-1);
  expect(last()).toBe("0 of 40 hosts done · 2 held");
  stop("web003", failure);
  expect(last()).toBe("0 of 40 hosts done · 1 failed · 2 held");
});

it("says which run the hosts are waiting for, not that they are working on their first task", () => {
  const progress = new Progress();
  const hosts = fleetNames(40);
  const task = label("0", "file /tmp/before");
  const run = "run 936334d0d274 by root@vm: it has lost its controller and will end after its task slow work";
  progress.handle(started(hosts), 0);
  for (const host of hosts) {
    progress.handle({ type: "taskStarted", host, task, attempt: 1 }, 0);
    progress.handle({ type: "hostConnected", host, durationMs: 1 }, 0);
    progress.handle({ type: "warning", host, text: `is waiting for ${run}`, connection: "held" }, 0);
  }
  const view = { rows: 24, columns: 200, now: 20_000, spinner: "*", paint: paintFor(false) };
  expect(progress.lines(view).slice(0, 2)).toEqual([
    "* 40 hosts  waiting for another run, for file /tmp/before  20 s",
    `            | ${run}`,
  ]);
  expect(progress.atWorkFor(10_000, 20_000)).toMatchObject([
    { what: "waiting for another run, for file /tmp/before", output: run },
  ]);
  for (const host of hosts) progress.handle({ type: "warning", host, text: "run 9 was cut off" }, 20_000);
  expect(progress.lines(view)[0]).toBe("* 40 hosts  file /tmp/before  20 s");
});
