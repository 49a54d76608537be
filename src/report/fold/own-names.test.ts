import { describe, expect, it } from "vitest";
import { finished, label, recapOf } from "../../../test/report/recorded-run.ts";
import type { RunEvent } from "../../core/events.ts";
import type { ReportOptions } from "../report.ts";
import { RunText } from "../run-text.ts";

const plain = { color: false, diff: false, verbose: false, fold: true, folder: "/home/me" };

function shown(events: readonly RunEvent[], options: Partial<ReportOptions> = {}): string[] {
  const text = new RunText({ ...plain, ...options });
  return events.flatMap((event) => text.lines(event, 0));
}

function play(hosts: readonly string[]): RunEvent[] {
  return [
    { type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts, version: "0" },
    { type: "playStarted", play: "web", hosts },
  ];
}

const hosts = ["web1", "web2", "web3"];

describe("the folded report", () => {
  it("does not fold a host whose text contains <host> with a host whose text contains its own name", () => {
    const content: Record<string, string> = { web1: "<host>", web2: "web2", web3: "web3" };
    const named = (host: string): RunEvent =>
      finished(host, label("0", "file /etc/motd"), "changed", {
        changes: [
          { fact: "file:/etc/motd", secret: false, differences: [{ path: "text", from: "a", to: content[host] }] },
        ],
      });
    const lines = shown([...play(hosts), ...hosts.map(named)], { diff: true }).join("\n");
    expect(lines).toMatch(/^web1 +changed .*\n +text\n.*\n +-a\n.*\n +\+<host>\n/m);
    expect(lines).toMatch(/^2 hosts +changed .*\(same diff; all but web1\)$/m);
  });

  it("counts a host named ok together with hosts whose counts are equal", () => {
    const both = ["web1", "ok"];
    const lines = shown([
      ...play(both),
      ...both.map((host) => finished(host, label("0", "file /etc/motd"), "ok")),
      {
        type: "runFinished",
        run: "1",
        recap: both.map((host) => recapOf(host, { ok: 1 })),
        mode: "apply",
        durationMs: 1000,
        interrupted: false,
      },
    ]);
    expect(lines.join("\n")).toMatch(/recap\n +(web1, ok|ok, web1) +1 ok\n/);
  });
});
