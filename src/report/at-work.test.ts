import { describe, expect, it, vi } from "vitest";
import { finished, label } from "../../test/report/recorded-run.ts";
import type { RunEvent } from "../core/events.ts";
import { Progress } from "./live/progress.ts";
import { plainReport } from "./plain.ts";

const style = { color: false, diff: false, verbose: false, fold: true, folder: "/home/me" };

describe("the report of long tasks without a live view", () => {
  it("logs the progress of a 7 GB download every 10 s", () => {
    vi.useFakeTimers({ now: 0 });
    let text = "";
    const report = plainReport({ ...style, write: (part) => void (text += part) });
    const iso = label("0", "download https://example.org/a.iso");
    const host = "web1";
    const at = (second: number): void => {
      vi.advanceTimersByTime(1000);
      const line = `furrow: ${second * 50_000_000} of 7000000000 bytes\n`;
      report.handle({ type: "stepOutput", host, task: iso, stream: "stdout", text: line });
    };
    try {
      report.handle({ type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts: [host], version: "0" });
      report.handle({ type: "hostConnected", host, durationMs: 1 });
      report.handle({ type: "taskStarted", host, task: iso, attempt: 1 });
      for (let second = 1; second <= 25; second += 1) at(second);
      expect(text.split("\n").slice(1, -1)).toEqual([
        "web1  working      download https://example.org/a.iso  10 s  450.0 MB of 7.0 GB, 6 %, 50.0 MB/s, 2 min 11 s left",
        "web1  working      download https://example.org/a.iso  20 s  950.0 MB of 7.0 GB, 13 %, 50.0 MB/s, 2 min 1 s left",
      ]);
    } finally {
      void report.close();
      vi.useRealTimers();
    }
  });

  it("groups many working hosts on one line, and leaves out transfer progress with --verbose", async () => {
    const progress = new Progress();
    const hosts = ["web1", "web2", "web3", "web4"];
    const task = label("0", "http-wait http://lb/");
    for (const host of hosts) progress.handle({ type: "taskStarted", host, task, attempt: 1 }, 0);
    progress.handle({ type: "hostConnected", host: "web4", durationMs: 1 }, 0);
    expect(progress.atWorkFor(10_000, 9000)).toEqual([]);
    expect(progress.atWorkFor(10_000, 10_000).map(({ who, what }) => `${who} ${what}`)).toEqual([
      "3 hosts connecting, for http-wait http://lb/",
      "web4 http-wait http://lb/",
    ]);
    const output = (text: string): RunEvent => ({ type: "stepOutput", host: "web1", task, stream: "stdout", text });
    let text = "";
    const report = plainReport({ ...style, verbose: true, write: (part) => void (text += part) });
    for (const line of ["one", "furrow: 1 of 2 bytes", "two"]) report.handle(output(`${line}\n`));
    await report.close();
    expect(text).toBe("web1  | one\nweb1  | two\n");
  });

  it("logs a task's first progress line after 10 s, even if the task began later than the run", () => {
    vi.useFakeTimers({ now: 0 });
    let text = "";
    const report = plainReport({ ...style, write: (part) => void (text += part) });
    const [before, slow] = [label("0", "file /tmp/before"), label("1", "slow work")];
    const hosts = ["web1"];
    try {
      report.handle({ type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts, version: "0" });
      report.handle({ type: "playStarted", play: "web", hosts });
      report.handle({ type: "hostConnected", host: "web1", durationMs: 1 });
      report.handle({ type: "taskStarted", host: "web1", task: before, attempt: 1 });
      vi.advanceTimersByTime(1700);
      report.handle(finished("web1", before, "ok"));
      report.handle({ type: "taskStarted", host: "web1", task: slow, attempt: 1 });
      const seen = text;
      vi.advanceTimersByTime(10_500);
      expect(text.slice(seen.length)).toBe("web1  working      slow work  10 s\n");
      vi.advanceTimersByTime(9000);
      expect(text.match(/working/g)).toHaveLength(1);
      vi.advanceTimersByTime(1000);
      expect(text.match(/working/g)).toHaveLength(2);
    } finally {
      void report.close();
      vi.useRealTimers();
    }
  });
});
