import { describe, expect, it } from "vitest";
import { failure, finished, label, recapOf, recordedRun } from "../../test/report/recorded-run.ts";
import type { RunEvent } from "../core/events.ts";
import { secretOf } from "../core/secrets/secret.ts";
import { plainReport } from "./plain.ts";
import { redacted } from "./redacted.ts";
import type { ReportOptions } from "./report.ts";

const style = { color: false, diff: false, verbose: false, fold: true, folder: "/home/me" };

async function printed(events: readonly RunEvent[], options: Partial<ReportOptions> = {}): Promise<string> {
  let text = "\n";
  const write = (part: string): void => void (text += part);
  const report = redacted(plainReport({ write, ...style, ...options }));
  for (const event of events) report.handle(event);
  await report.close();
  return text;
}

describe("plainReport", () => {
  it("shows what a run changed, what failed and why, and a recap", async () => {
    expect(await printed(recordedRun("apply"))).toMatchInlineSnapshot(`
      "
      running A web server on 3 hosts

      play web  web1, web2, web3
      web3     unreachable
          E_UNREACHABLE  192.0.2.9 port 22 refuses the connection
            host  web3
            hint  Check that sshd runs there
      web1     changed      boot-server › file /etc/nginx/nginx.conf
          text  2 lines added, 1 line removed
          mode  0600 → 0644
      web2     retry        service nginx in 2.0 s
          E_STEP: "nginx -t" exited with 1
      web2     failed       service nginx  2.1 s
          E_STEP  "nginx -t" exited with 1
            host      web2
            task      service nginx
            at        site.ts:12:5
            current   exit code 1
            expected  exit code 0
            hint      Read the output below; the service was left as it was
            | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
            | nginx: configuration test failed
      web1     changed      package nginx  4.2 s
          + version 1.22.1-9
      web1     changed      service nginx
          state  inactive → active
          note: configured; needs a restart
      web1     warning      the clock of web1 is 40 s behind

      recap
        web1  3 changed, 1 skipped
        web2  1 ok, 1 failed
        web3  unreachable, 1 not reached

      failed
        web2  service nginx  site.ts:12:5
          E_STEP: "nginx -t" exited with 1
          | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
          | nginx: configuration test failed
          Read the output below; the service was left as it was
        web3
          E_UNREACHABLE: 192.0.2.9 port 22 refuses the connection
          Check that sshd runs there

      3 changed, 1 ok, 1 failed, 1 unreachable, 1 not reached, 1 warning on 3 hosts in 12 s
      "
    `);
  });

  it("shows in check mode what would change and what undecided tasks depend on", async () => {
    expect(await printed(recordedRun("check"), { diff: true })).toMatchInlineSnapshot(`
      "
      checking A web server on 3 hosts; nothing is changed

      play web  web1, web2, web3
      web3     unreachable
          E_UNREACHABLE  192.0.2.9 port 22 refuses the connection
            host  web3
            hint  Check that sshd runs there
      web1     would change  boot-server › file /etc/nginx/nginx.conf
          text
            @@ -1,3 +1,4 @@
             user www;
            -workers 1;
            +workers 4;
            +pid /run/x;
             end
          mode  0600 → 0644
      web2     retry         service nginx in 2.0 s
          E_STEP: "nginx -t" exited with 1
      web2     failed        service nginx
          E_STEP  "nginx -t" exited with 1
            host      web2
            task      service nginx
            at        site.ts:12:5
            current   exit code 1
            expected  exit code 0
            hint      Read the output below; the service was left as it was
            | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
            | nginx: configuration test failed
      web1     would change  package nginx
          + version 1.22.1-9
      web1     undecided     service nginx
          undecided: depends on package nginx (unit:nginx.service)
      web1     would wait    http-wait for http://web1/ to answer 200
      web1     warning       the clock of web1 is 40 s behind

      recap
        web1  2 would change, 1 undecided, 1 would wait
        web2  1 ok, 1 failed
        web3  unreachable, 1 not reached

      failed
        web2  service nginx  site.ts:12:5
          E_STEP: "nginx -t" exited with 1
          | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
          | nginx: configuration test failed
          Read the output below; the service was left as it was
        web3
          E_UNREACHABLE: 192.0.2.9 port 22 refuses the connection
          Check that sshd runs there

      2 would change, 1 undecided (depends on package nginx), 1 would wait, 1 ok, 1 failed, 1 unreachable, 1 not reached, 1 warning on 3 hosts in 12 s
      "
    `);
  });

  it("shows steps, output and unchanged tasks with --verbose", async () => {
    expect(await printed(recordedRun("apply"), { verbose: true })).toMatchInlineSnapshot(`
      "
      running A web server on 3 hosts

      play web  web1, web2, web3
      web1  connected    in 0.2 s
      web2  connected    in 1.2 s
      web3  unreachable
          E_UNREACHABLE  192.0.2.9 port 22 refuses the connection
            host  web3
            hint  Check that sshd runs there
      web1  started      boot-server › file /etc/nginx/nginx.conf
      web1  changed      boot-server › file /etc/nginx/nginx.conf
          text  2 lines added, 1 line removed
          mode  0600 → 0644
      web1  started      package nginx
      web1  step         apt-get install nginx
      web1  | Reading package lists...
      web1  | Unpacking nginx
      web1  | 100%
      web1  changed      package nginx  4.2 s
          + version 1.22.1-9
      web1  changed      service nginx
          state  inactive → active
          note: configured; needs a restart
      web1  skipped      http-wait: its condition does not hold
      web2  ok           boot-server › file /etc/nginx/nginx.conf
      web2  retry        service nginx in 2.0 s
          E_STEP: "nginx -t" exited with 1
      web2  started      service nginx
      web2  failed       service nginx  2.1 s
          E_STEP  "nginx -t" exited with 1
            host      web2
            task      service nginx
            at        site.ts:12:5
            current   exit code 1
            expected  exit code 0
            hint      Read the output below; the service was left as it was
            | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
            | nginx: configuration test failed
      web1  warning      the clock of web1 is 40 s behind

      recap
        web1  3 changed, 1 skipped  (3 frames, 14.2 kB sent, 812 B received)
        web2  1 ok, 1 failed  (3 frames, 14.2 kB sent, 812 B received)
        web3  unreachable, 1 not reached  (0 frames, 0 B sent, 0 B received)

      failed
        web2  service nginx  site.ts:12:5
          E_STEP: "nginx -t" exited with 1
          | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
          | nginx: configuration test failed
          Read the output below; the service was left as it was
        web3
          E_UNREACHABLE: 192.0.2.9 port 22 refuses the connection
          Check that sshd runs there

      3 changed, 1 ok, 1 failed, 1 unreachable, 1 not reached, 1 warning on 3 hosts in 12 s
      "
    `);
  });

  it("counts ignored and rescued failures separately", async () => {
    const task = label("0", "command make");
    const events: RunEvent[] = [
      { type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts: ["a"], version: "0" },
      finished("a", task, "failed", { error: failure, ignored: true }),
      finished("a", label("1", "command test"), "failed", { error: failure }),
      { type: "rescued", host: "a", group: "try it", error: failure, failures: 1 },
      { type: "runStopping", reason: "each host finishes its current task" },
      {
        type: "runFinished",
        run: "1",
        mode: "apply",
        recap: [recapOf("a", { failed: 2 }, { tolerated: 2 })],
        durationMs: 90,
        interrupted: true,
      },
    ];
    expect(await printed(events)).toMatchInlineSnapshot(`
      "
      running p on 1 host
      a  failed, ignored  command make
          E_STEP  "nginx -t" exited with 1
            host      web2
            task      service nginx
            at        site.ts:12:5
            current   exit code 1
            expected  exit code 0
            hint      Read the output below; the service was left as it was
            | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
            | nginx: configuration test failed
      a  failed       command test
          E_STEP  "nginx -t" exited with 1
            host      web2
            task      service nginx
            at        site.ts:12:5
            current   exit code 1
            expected  exit code 0
            hint      Read the output below; the service was left as it was
            | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
            | nginx: configuration test failed
      a  rescued      try it
      stopping: each host finishes its current task

      recap
        a  2 failed, 2 tolerated

      interrupted: 0 changed, 0 ok, 2 failed (2 tolerated) on 1 host in 90 ms
      "
    `);
  });

  it("prints no secret, even if it arrives in two chunks or inside an error", async () => {
    secretOf("correct-horse-battery", "db");
    const task = label("0", "command login correct-horse-battery");
    const output = (text: string): RunEvent => ({ type: "stepOutput", host: "a", task, stream: "stdout", text });
    const error = failure.at({ param: "correct-horse-battery" });
    const text = await printed(
      [
        output("the password is correct-ho"),
        output("rse-battery.\nY29ycmVjdC1ob3JzZS1iYXR0ZXJ5 correct-"),
        output("horse-battery"),
        finished("a", task, "failed", { error, notes: ["used correct-horse-battery"] }),
      ],
      { verbose: true },
    );
    expect(text).not.toMatch(/correct-|horse|Y29y/);
    expect(text).toContain("the password is «secret db».");
    expect(text).toContain("| «secret db» «secret db»");
  });
});
