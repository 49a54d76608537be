import { describe, expect, it } from "vitest";
import { fleetNames, fleetRun } from "../../../test/report/fleet.ts";
import { failure, finished, label, recapOf } from "../../../test/report/recorded-run.ts";
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

describe("equal hosts", () => {
  it("shows 120 hosts with the same 4 tasks on a few lines", () => {
    const lines = shown(fleetRun("check", 120));
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.join("\n")).toMatchInlineSnapshot(`
      "checking The fleet on 120 hosts; nothing is changed

      play web  web001–web120
      120 hosts  would change  file /etc/motd  (same diff)
          text  1 line added
      120 hosts  would change  package nginx  (same diff)
          + version 1.22.1-9
      120 hosts  would change  web-server › file /etc/nginx/nginx.conf  (same diff)
          mode  0600 → 0644
      120 hosts  would change  service nginx  (same diff)
          state  inactive → active

      recap
        120 hosts  4 would change

      480 would change, 0 ok on 120 hosts in 12 s"
    `);
  });

  it("names the hosts among 120 whose results differ", () => {
    const edited = { web042: "welcome\nby hand\n", web077: "bye\n" };
    const lines = shown(fleetRun("check", 120, { edited, down: ["web101"] }), { diff: true });
    expect(lines.join("\n")).toMatchInlineSnapshot(`
      "checking The fleet on 120 hosts; nothing is changed

      play web  web001–web120
      web101     unreachable
          E_UNREACHABLE  192.0.2.101 port 22 refuses the connection
            host  web101
            hint  Check that sshd runs there
      117 hosts  would change  file /etc/motd  (same diff; all but web042, web077, web101)
          text
            @@ -1,1 +1,2 @@
             welcome
            +to the fleet
      web042     would change  file /etc/motd
          text
            @@ -1,2 +1,2 @@
             welcome
            -by hand
            +to the fleet
      web077     would change  file /etc/motd
          text
            @@ -1,1 +1,2 @@
            -bye
            +welcome
            +to the fleet
      119 hosts  would change  package nginx  (same diff)
          + version 1.22.1-9
      119 hosts  would change  web-server › file /etc/nginx/nginx.conf  (same diff)
          mode  0600 → 0644
      119 hosts  would change  service nginx  (same diff)
          state  inactive → active

      recap
        119 hosts  4 would change  (all but web101)
        web101     unreachable, 4 not reached

      failed
        web101
          E_UNREACHABLE: 192.0.2.101 port 22 refuses the connection
          Check that sshd runs there

      476 would change, 0 ok, 1 unreachable, 4 not reached on 120 hosts in 12 s"
    `);
  });

  it("shows the same error of 30 hosts once", () => {
    const broken = fleetNames(120).slice(30, 60);
    const lines = shown(fleetRun("apply", 120, { broken, down: ["web001", "web005"] }));
    expect(lines.length).toBeLessThanOrEqual(50);
    expect(lines.filter((line) => line.includes("unknown directive"))).toHaveLength(2);
    expect(lines.join("\n")).toMatchInlineSnapshot(`
      "running The fleet on 120 hosts

      play web  web001–web120
      web001     unreachable
          E_UNREACHABLE  192.0.2.1 port 22 refuses the connection
            host  web001
            hint  Check that sshd runs there
      118 hosts  changed      file /etc/motd  (same diff)
          text  1 line added
      web005     unreachable  (same error as web001)
      web031     failed       service nginx  2.1 s
          E_STEP  "nginx -t" exited with 1
            host      web2
            task      service nginx
            at        site.ts:12:5
            current   exit code 1
            expected  exit code 0
            hint      Read the output below; the service was left as it was
            | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
            | nginx: configuration test failed
      118 hosts  changed      package nginx  up to 5.2 s  (same diff)
          + version 1.22.1-9
      118 hosts  changed      web-server › file /etc/nginx/nginx.conf  (same diff)
          mode  0600 → 0644
      88 hosts   changed      service nginx  (same diff)
          state  inactive → active
      29 hosts   failed       service nginx  up to 2.1 s  (same error as web031; web032–web060)

      recap
        web001, web005  unreachable, 4 not reached
        88 hosts        4 changed  (web002–web004, web006–web030, web061–web120)
        30 hosts        3 changed, 1 failed  (web031–web060)

      failed
        web001, web005
          E_UNREACHABLE: <address> port 22 refuses the connection
          Check that sshd runs there
        web031–web060 (30 hosts)  service nginx  site.ts:12:5
          E_STEP: "nginx -t" exited with 1
          | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
          | nginx: configuration test failed
          Read the output below; the service was left as it was

      442 changed, 0 ok, 30 failed, 2 unreachable, 8 not reached on 120 hosts in 12 s"
    `);
  });

  it("groups hosts in the recap even if their next task contains their own name", () => {
    const recap = ["web1", "web2", "db"].map((host) =>
      recapOf(
        host,
        { ok: 1, failed: 1 },
        { end: "failed", left: 2, next: host === "db" ? "service db" : `file /srv/${host}` },
      ),
    );
    const end: RunEvent = { type: "runFinished", run: "1", mode: "apply", durationMs: 1, interrupted: false, recap };
    expect(shown([end]).slice(2, 4)).toEqual([
      "  web1, web2  1 ok, 1 failed, 2 not reached (from file /srv/<host>)",
      "  db          1 ok, 1 failed, 2 not reached (from service db)",
    ]);
  });

  it("shows each host separately with --no-fold and with --verbose", () => {
    for (const options of [{ fold: false }, { verbose: true }]) {
      const lines = shown(fleetRun("apply", 12), options);
      expect(lines.filter((line) => /^web\d+ +changed +file \/etc\/motd/.test(line))).toHaveLength(12);
      expect(lines.filter((line) => /^ {2}web\d+ +4 changed/.test(line))).toHaveLength(12);
    }
  });
});

describe("the folded report", () => {
  const hosts = ["web1", "web2", "web3"];
  const motd = label("0", "file /etc/motd");
  const conf = label("1", "file /etc/conf");
  const changed = (host: string, task = motd): RunEvent => finished(host, task, "changed");

  it("shows a failure immediately, and other hosts with the same failure when all hosts have passed the task", () => {
    const text = new RunText(plain);
    for (const event of play(hosts)) text.lines(event, 0);
    const failed = (host: string): string[] =>
      text.lines(finished(host, motd, "failed", { error: failure.at({ host }) }), 0);
    expect(failed("web2")[0]).toBe("web2     failed       file /etc/motd");
    expect(failed("web1")).toEqual([]);
    expect(text.lines(changed("web3"), 0)).toEqual([
      "web1     failed       file /etc/motd  (same error as web2)",
      "web3     changed      file /etc/motd",
    ]);
  });

  it("shows a result once the last host has finished the task, even if other hosts are several tasks ahead", () => {
    const text = new RunText(plain);
    for (const event of play(hosts)) text.lines(event, 0);
    const ahead = [changed("web1"), changed("web1", conf), changed("web2")].flatMap((event) => text.lines(event, 0));
    expect(ahead).toEqual([]);
    expect(text.lines(finished("web3", motd, "ok"), 0)).toEqual([
      "2 hosts  changed      file /etc/motd  (all but web3)",
    ]);
  });

  it("shows a result when the last host that could still have it has failed or finished", () => {
    for (const end of [
      { type: "hostStopped", host: "web3", outcome: "failed", error: failure },
      { type: "hostDone", host: "web3" },
    ] as const) {
      const text = new RunText(plain);
      for (const event of play(hosts)) text.lines(event, 0);
      for (const host of ["web1", "web2"]) text.lines(changed(host), 0);
      expect(text.lines(end, 0).at(-1)).toMatch(/^2 hosts {2}changed {6}file \/etc\/motd/);
    }
  });

  it("shows a result three seconds after the last host with that result, even if a slow host is still running the task", () => {
    const text = new RunText(plain);
    for (const event of play(hosts)) text.lines(event, 0);
    for (const host of ["web1", "web2"]) text.lines(changed(host), 5000);
    expect(text.due(7900)).toEqual([]);
    expect(text.due(8000)).toEqual(["2 hosts  changed      file /etc/motd  (all but web3)"]);
    expect(text.lines(changed("web3"), 20_000)).toEqual(["web3     changed      file /etc/motd"]);
  });

  it("shows a result ten seconds after the last host with that result, if many hosts are still running the task", () => {
    const text = new RunText(plain);
    for (const event of play(fleetNames(4))) text.lines(event, 0);
    for (const host of fleetNames(2)) text.lines(changed(host), 5000);
    expect(text.due(14_900)).toEqual([]);
    expect(text.due(15_000)).toEqual(["2 hosts  changed      file /etc/motd  (web001, web002)"]);
  });

  it("shows a result after three seconds if furrow cannot connect to the other hosts", () => {
    const text = new RunText(plain);
    for (const event of play(fleetNames(4))) text.lines(event, 0);
    for (const host of fleetNames(2)) text.lines(changed(host), 0);
    for (const host of ["web003", "web004"]) text.lines({ type: "connectRetry", host, error: failure }, 0);
    expect(text.due(3000)).toEqual(["2 hosts  changed      file /etc/motd  (web001, web002)"]);
  });

  it("shows one line for a large fleet whose hosts finish one after another over half a minute", () => {
    const fleet = fleetNames(120);
    const text = new RunText(plain);
    for (const event of play(fleet)) text.lines(event, 0);
    const seen = fleet.flatMap((host, at) => {
      const now = at * 250;
      return [...text.due(now), ...text.lines(changed(host), now)];
    });
    expect(seen).toEqual(["120 hosts  changed      file /etc/motd"]);
  });

  it("shows the results so far after a minute, even if more hosts keep finishing the task", () => {
    const text = new RunText(plain);
    for (const event of play(fleetNames(120))) text.lines(event, 0);
    const seen = fleetNames(13).map((host, at) => [...text.due(at * 5000), ...text.lines(changed(host), at * 5000)]);
    expect(seen.flat()).toEqual(["12 hosts   changed      file /etc/motd  (web001–web012)"]);
  });

  it("shows results that were held back, if a run ends without its last event", () => {
    const text = new RunText(plain);
    for (const event of play(hosts)) text.lines(event, 0);
    text.lines(changed("web1"), 0);
    expect(text.rest()).toEqual(["web1     changed      file /etc/motd"]);
  });

  it("shows results that differ only by host name as one result", () => {
    const named = (host: string): RunEvent =>
      finished(host, label("0", `hostname ${host}`), "changed", {
        changes: [{ fact: "hostname:", secret: false, differences: [{ path: "running", from: "debian", to: host }] }],
      });
    expect(shown([...play(hosts), ...hosts.map(named)]).slice(3)).toEqual([
      "3 hosts  changed      hostname <host>  (same diff)",
      "    running  debian → <host>",
    ]);
  });

  it("shows the results of a single host immediately", () => {
    const text = new RunText(plain);
    for (const event of play(["web1"])) text.lines(event, 0);
    expect(text.lines(changed("web1"), 0)).toEqual(["web1  changed      file /etc/motd"]);
  });
});
