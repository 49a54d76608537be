import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../../../test/report/fake-terminal.ts";
import { fleetNames } from "../../../test/report/fleet.ts";
import { failure, finished, label, recordedRun } from "../../../test/report/recorded-run.ts";
import { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { paintFor } from "../text/colours.ts";
import { liveReport } from "./live.ts";
import { Progress } from "./progress.ts";
import { plainReport } from "../plain.ts";
import type { Report } from "../report.ts";

const options = { color: false, diff: false, verbose: false, fold: true, folder: "/home/me" };

function onTerminal(columns: number, rows: number): { terminal: FakeTerminal; report: Report } {
  const terminal = new FakeTerminal(columns, rows);
  const stream = terminal as unknown as NodeJS.WriteStream;
  return { terminal, report: liveReport({ ...options, stdout: stream, stderr: stream }) };
}

/** Waits longer than the interval between two redraws. */
const drawn = (): Promise<unknown> => sleep(150);

function started(hosts: readonly string[]): RunEvent {
  return { type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts, version: "0" };
}

describe("liveReport", () => {
  it("leaves the same text on the screen as the plain report", async () => {
    let text = "";
    const plain = plainReport({ ...options, write: (part) => void (text += part) });
    const { terminal, report } = onTerminal(200, 24);
    for (const event of recordedRun("apply")) {
      plain.handle(event);
      report.handle(event);
    }
    await report.close();
    expect(`${terminal.lines.join("\n").trimEnd()}\n`).toBe(text);
  });

  it("shows each working host with its task and the last line of output", async () => {
    const { terminal, report } = onTerminal(80, 24);
    const task = label("0", "package nginx");
    report.handle(started(["web1", "web2"]));
    for (const host of ["web1", "web2"]) {
      report.handle({ type: "hostConnected", host, durationMs: 80 });
      report.handle({ type: "taskStarted", host, task, attempt: 1 });
    }
    report.handle({ type: "stepOutput", host: "web2", task, stream: "stdout", text: "one\nUnpacking nginx\n" });
    await drawn();
    const screen = terminal.screen().map((line) => line.replace(/^[^ ]+(?= web)/, "*"));
    expect(screen.slice(-4)).toEqual([
      "* web1  package nginx",
      "* web2  package nginx",
      "        | Unpacking nginx",
      "0 of 2 hosts done · 2 working",
    ]);
    report.handle(finished("web2", task, "changed"));
    await drawn();
    expect(terminal.lines).toContain("web2     changed      package nginx");
    await report.close();
    expect(terminal.lines.at(-1)).toBe("");
    expect(terminal.lines.filter((line) => line.includes("package nginx"))).toHaveLength(1);
  });

  it("draws nothing while nothing changes", async () => {
    const { terminal, report } = onTerminal(80, 24);
    report.handle(started(["web1"]));
    await drawn();
    const { writes } = terminal;
    await drawn();
    expect(terminal.writes).toBe(writes);
    await report.close();
  });

  it.each([
    [80, 24, /100 hosts {2}connecting, for download https[^]*0 of 100 hosts done · 100 working/],
    [40, 8, /100 hosts {2}connecting[^]*0 of 100 hosts done · 100 working/],
    [20, 3, /0 of 100 hosts done/],
  ])("keeps a hundred hosts within %i columns and %i rows", async (columns, rows, summary) => {
    const hosts = Array.from({ length: 100 }, (_, index) => `host-${String(index).padStart(3, "0")}`);
    const { terminal, report } = onTerminal(columns, rows);
    report.handle(started(hosts));
    const task = label("0", "download https://releases.example/harvester-amd64.iso to /srv/www/harvester.iso");
    for (const host of hosts) report.handle({ type: "taskStarted", host, task, attempt: 1 });
    await drawn();
    const shown = terminal.lines.filter((line) => line.includes("host-"));
    expect(shown.length).toBeLessThanOrEqual(Math.floor(rows * 0.6));
    expect(terminal.lines.every((line) => line.length <= columns)).toBe(true);
    expect(terminal.lines.join("\n")).toMatch(summary);
    for (const host of hosts) report.handle(finished(host, task, "failed", { error: undefined as never }));
    await drawn();
    expect(terminal.lines.filter((line) => line.includes("failed")).length).toBeGreaterThanOrEqual(100);
    await report.close();
  });

  it("shows how many hosts are done, working and failed, how many tasks have finished, and the time left", () => {
    const progress = new Progress();
    const task = label("0", "package nginx");
    const hosts = ["web1", "web2", "web3", "web4"];
    progress.handle(started(hosts), 0);
    progress.handle({ type: "playStarted", play: "web", hosts }, 0);
    for (const host of hosts.slice(0, 3)) {
      progress.handle({ type: "hostConnected", host, durationMs: 80 }, 0);
      progress.handle({ type: "hostPlanned", host, tasks: 4 }, 0);
      progress.handle({ type: "taskStarted", host, task, attempt: 1 }, 0);
      progress.handle(finished(host, task, "changed"), 10_000);
    }
    progress.handle({ type: "taskStarted", host: "web3", task: label("1", "service nginx"), attempt: 1 }, 10_000);
    for (let left = 3; left > 0; left -= 1) progress.handle(finished("web2", task, "ok"), 20_000);
    progress.handle({ type: "hostDone", host: "web2" }, 20_000);
    progress.handle({ type: "hostStopped", host: "web1", outcome: "failed", error: failure }, 20_000);
    expect(progress.lines({ rows: 24, columns: 200, now: 20_000, spinner: "*", paint: paintFor(false) })).toEqual([
      "* web3  service nginx  10 s",
      "1 of 4 hosts done · 1 working · 1 failed · 6 of 16 tasks · about 30 s left · 3 changed",
    ]);
  });

  it("counts tasks and changes of the same play, and keeps the total when a host fails", () => {
    const progress = new Progress();
    const task = label("0", "package nginx");
    const hosts = ["web1", "web2"];
    const begin = (play: string): void => {
      progress.handle({ type: "playStarted", play, hosts }, 0);
      for (const host of hosts) progress.handle({ type: "hostPlanned", host, tasks: 5 }, 0);
    };
    const last = (): string | undefined =>
      progress.lines({ rows: 24, columns: 200, now: 0, spinner: "*", paint: paintFor(false) }).at(-1);
    progress.handle(started(hosts), 0);
    begin("first");
    for (const host of hosts)
      for (let left = 5; left > 0; left -= 1) progress.handle(finished(host, task, "changed"), 0);
    expect(last()).toMatch(/10 of 10 tasks · 10 changed$/);
    begin("second");
    for (const host of hosts) progress.handle(finished(host, task, "changed"), 0);
    expect(last()).toMatch(/2 of 10 tasks · 2 changed$/);
    progress.handle({ type: "hostStopped", host: "web1", outcome: "failed", error: failure }, 0);
    expect(last()).toMatch(/1 failed · 2 of 10 tasks · 2 changed$/);
  });

  it("shows a host without a connection as connecting, not as running its first task", () => {
    const progress = new Progress();
    progress.handle(started(["web1"]), 0);
    progress.handle({ type: "taskStarted", host: "web1", task: label("0", "file /etc/motd"), attempt: 1 }, 0);
    const view = { rows: 24, columns: 80, now: 13_000, spinner: "*", paint: paintFor(false) };
    expect(progress.lines(view)).toEqual(["* web1  connecting, for file /etc/motd  13 s"]);
    progress.handle({ type: "hostConnected", host: "web1", durationMs: 13_000 }, 13_000);
    expect(progress.lines(view)).toEqual(["* web1  file /etc/motd"]);
    expect(progress.lines({ ...view, now: 17_000 })).toEqual(["* web1  file /etc/motd  4.0 s"]);
  });

  it("shows a host whose connection was lost as reconnecting, not as working", () => {
    const progress = new Progress();
    const task = label("0", "drop ssh");
    const host = "web1";
    const connection = (state: "lost" | "back"): RunEvent => ({ type: "warning", host, text: "", connection: state });
    progress.handle(started([host]), 0);
    progress.handle({ type: "hostConnected", host, durationMs: 80 }, 0);
    progress.handle({ type: "taskStarted", host, task, attempt: 1 }, 0);
    progress.handle({ type: "stepOutput", host, task, stream: "stdout", text: "dropping\n" }, 0);
    progress.handle(connection("lost"), 8000);
    const view = { rows: 24, columns: 80, now: 13_000, spinner: "*", paint: paintFor(false) };
    expect(progress.lines(view)).toEqual(["* web1  reconnecting, for drop ssh  5.0 s"]);
    expect(progress.atWorkFor(10_000, 13_000)).toMatchObject([{ what: "reconnecting, for drop ssh", since: 8000 }]);
    progress.handle(connection("back"), 13_000);
    expect(progress.lines(view)).toEqual(["* web1  drop ssh  13 s", "        | dropping"]);
  });

  it("shows why a host cannot be reached while furrow keeps trying", () => {
    const hosts = fleetNames(120);
    const progress = new Progress();
    progress.handle(started(hosts), 0);
    progress.handle({ type: "playStarted", play: "web", hosts }, 0);
    for (const host of hosts) {
      progress.handle({ type: "taskStarted", host, task: label("0", "file /etc/motd"), attempt: 1 }, 0);
      const error = new FurrowError("E_UNREACHABLE", { what: `no connection to ${host}`, current: "ECONNREFUSED" });
      progress.handle({ type: "connectRetry", host, error }, 1000);
    }
    const view = { rows: 24, columns: 80, now: 13_000, spinner: "*", paint: paintFor(false) };
    expect(progress.lines(view).slice(0, -1)).toEqual([
      "* 120 hosts  connecting, for file /etc/motd  13 s",
      "             | no connection yet: ECONNREFUSED",
    ]);
    for (const host of hosts) progress.handle({ type: "hostPlanned", host, tasks: 1 }, 13_000);
    for (const host of hosts.slice(1)) progress.handle({ type: "hostConnected", host, durationMs: 13_000 }, 13_000);
    expect(progress.lines(view).slice(0, -1)).toEqual([
      "* 119 hosts  file /etc/motd",
      "* web001     connecting, for file /etc/motd  13 s",
      "             | no connection yet: ECONNREFUSED",
    ]);
    for (const host of hosts.slice(1)) {
      progress.handle(finished(host, label("0", "file /etc/motd"), "ok"), 13_000);
      progress.handle({ type: "hostDone", host }, 13_000);
    }
    // It is unknown how long the host will take to answer.
    expect(progress.lines(view)).toEqual([
      "* web001  connecting, for file /etc/motd  13 s",
      "          | no connection yet: ECONNREFUSED",
      "119 of 120 hosts done · 1 working · 119 of 120 tasks · 0 changed",
    ]);
  });

  it("shows only the most important counts on a narrow terminal, so no line is cut off", () => {
    const hosts = fleetNames(120);
    const progress = new Progress();
    progress.handle(started(hosts), 0);
    progress.handle({ type: "playStarted", play: "web", hosts }, 0);
    for (const host of hosts) {
      progress.handle({ type: "hostPlanned", host, tasks: 4 }, 0);
      progress.handle({ type: "taskStarted", host, task: label("0", "file /etc/motd"), attempt: 1 }, 0);
    }
    for (const host of hosts.slice(0, 100)) {
      progress.handle(finished(host, label("0", "file /etc/motd"), "changed"), 9000);
      progress.handle(finished(host, label("1", "user app"), "changed"), 9000);
    }
    progress.handle({ type: "hostStopped", host: "web101", outcome: "failed", error: failure }, 9000);
    const view = { rows: 24, columns: 200, now: 10_000, spinner: "*", paint: paintFor(true) };
    const summary = (columns: number): string =>
      stripVTControlCharacters(progress.lines({ ...view, columns }).at(-1) ?? "");
    expect([200, 96, 80, 60, 40, 20].map(summary)).toEqual([
      "0 of 120 hosts done · 19 working · 1 failed · 200 of 480 tasks · about 10 s left · 200 changed",
      "0 of 120 hosts done · 19 working · 1 failed · 200 of 480 tasks · about 10 s left · 200 changed",
      "0 of 120 hosts done · 1 failed · about 10 s left · 200 changed",
      "0 of 120 hosts done · 1 failed · 200 changed",
      "0 of 120 hosts done · 1 failed",
      "0 of 120 hosts done · 1 failed",
    ]);
  });

  it("releases the terminal if the run never started", async () => {
    const { terminal, report } = onTerminal(80, 24);
    await report.close();
    expect(terminal.writes).toBe(0);
  });
});
