import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../../../test/report/fake-terminal.ts";
import { finished, label, recordedRun } from "../../../test/report/recorded-run.ts";
import type { RunEvent } from "../../core/events.ts";
import { liveReport } from "./live.ts";
import { plainReport } from "../plain.ts";
import type { Report } from "../report.ts";

const options = { color: false, diff: false, verbose: false, fold: true, folder: "/home/me" };

function onTerminal(columns: number, rows: number): { terminal: FakeTerminal; report: Report } {
  const terminal = new FakeTerminal(columns, rows);
  const stream = terminal as unknown as NodeJS.WriteStream;
  return { terminal, report: liveReport({ ...options, stdout: stream, stderr: stream }) };
}

/** Longer than the view waits between two drawings. */
const drawn = (): Promise<unknown> => sleep(150);

function started(hosts: readonly string[]): RunEvent {
  return { type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts, version: "0" };
}

describe("liveReport", () => {
  it("leaves the same text behind as plain prints", async () => {
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

  it("shows each host at work with its task and the last line of output", async () => {
    const { terminal, report } = onTerminal(80, 24);
    const task = label("0", "package nginx");
    report.handle(started(["web1", "web2"]));
    for (const host of ["web1", "web2"]) report.handle({ type: "taskStarted", host, task, attempt: 1 });
    report.handle({ type: "stepOutput", host: "web2", task, stream: "stdout", text: "one\nUnpacking nginx\n" });
    await drawn();
    const screen = terminal.screen().map((line) => line.replace(/^[^ ]+(?= web)/, "*"));
    expect(screen.slice(-3)).toEqual(["* web1  package nginx", "* web2  package nginx", "        | Unpacking nginx"]);
    report.handle(finished("web2", task, "changed"));
    await drawn();
    expect(terminal.lines).toContain("web2     changed      package nginx");
    await report.close();
    expect(terminal.lines.at(-1)).toBe("");
    expect(terminal.lines.filter((line) => line.includes("package nginx"))).toHaveLength(1);
  });

  it("draws nothing while nothing changes but the spinner's hosts", async () => {
    const { terminal, report } = onTerminal(80, 24);
    report.handle(started(["web1"]));
    await drawn();
    const { writes } = terminal;
    await drawn();
    expect(terminal.writes).toBe(writes);
    await report.close();
  });

  it.each([
    [80, 24, /\d+ more hosts at work/],
    [40, 8, /\d+ more hosts at work/],
    [20, 3, /100 more hosts at/],
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

  it("gives the terminal back where the run never started", async () => {
    const { terminal, report } = onTerminal(80, 24);
    await report.close();
    expect(terminal.writes).toBe(0);
  });
});
