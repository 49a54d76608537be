import { expect, test } from "vitest";
import { finished, label } from "../../../test/report/recorded-run.ts";
import { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { absent } from "../../core/facts/symbols.ts";
import { RunText } from "../run-text.ts";

/** The lines that a report shows for events of a play on these hosts. */
function shown(hosts: readonly string[], events: readonly RunEvent[]): string[] {
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/home/me" });
  text.lines({ type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts, version: "0" }, 0);
  text.lines({ type: "playStarted", play: "web", hosts }, 0);
  return events.flatMap((event) => text.lines(event, 0));
}

test("names a host whose new file differs from that of the others, even without --diff", () => {
  const made = (host: string, sha256: string): RunEvent =>
    finished(host, label("0", "file /etc/motd"), "changed", {
      changes: [
        {
          fact: "file:/etc/motd",
          secret: false,
          differences: [{ path: "", from: absent, to: { type: "file", sha256 } }],
        },
      ],
    });
  const hosts = ["web1", "web2", "web3"];
  expect(shown(hosts, [made("web1", "aa"), made("web2", "bb"), made("web3", "aa")])).toEqual([
    "2 hosts  changed      file /etc/motd  (same diff; all but web2)",
    "    + type file",
    "web2     changed      file /etc/motd",
    "    + type file",
  ]);
});

test("shows the same error of several hosts once, even if the name of one host is a word in the error's text", () => {
  const error = (host: string): FurrowError =>
    new FurrowError("E_STEP", { what: "a step failed", hint: "Run again with a -v" }).at({ host });
  const motd = label("0", "file /etc/motd");
  for (const hosts of [
    ["a", "b", "c"],
    ["c", "a", "b"],
  ]) {
    const ends = hosts.map((host) => finished(host, motd, "failed", { error: error(host) }));
    const lines = shown(hosts, ends);
    expect(lines.filter((line) => line.includes("a step failed"))).toHaveLength(1);
    expect(lines.join("\n")).toContain(`2 hosts  failed       file /etc/motd  (same error as ${hosts[0]}`);
  }
});

test("groups equal results even if the name of a host is a word in their text", () => {
  const hosts = ["a", "b", "c"];
  // The time of the last change differs between hosts, and no line shows it.
  const ends = hosts.map((host, at) =>
    finished(host, label("0", "remove a file"), "changed", {
      changes: [
        {
          fact: "file:/x",
          secret: false,
          differences: [{ path: "", from: { type: "file", size: 3, changed: at }, to: absent }],
        },
      ],
    }),
  );
  expect(shown(hosts, ends)[0]).toBe("3 hosts  changed      remove a file  (same diff)");
});
