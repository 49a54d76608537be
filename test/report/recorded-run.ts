import { FurrowError } from "../../src/core/errors.ts";
import type { Counts, FactChange, HostRecap, Mode, Outcome, RunEvent, TaskLabel } from "../../src/core/events.ts";
import { absent, knownAfterApply } from "../../src/core/facts/symbols.ts";

/** The label that events use for a task. */
export function label(id: string, title: string, more: Partial<TaskLabel> = {}): TaskLabel {
  const [module = ""] = title.split(" ");
  return { id, module, title, path: [], source: `/home/me/site.ts:${Number(id.split(".").at(-1)) + 10}:5`, ...more };
}

type Finished = Extract<RunEvent, { type: "taskFinished" }>;

/** A finished task, with defaults for everything that a test does not set. */
export function finished(host: string, task: TaskLabel, outcome: Outcome, more: Partial<Finished> = {}): Finished {
  return { type: "taskFinished", host, task, outcome, changes: [], notes: [], ignored: false, durationMs: 20, ...more };
}

/** The recap for one host. */
export function recapOf(host: string, counts: Partial<Counts>, more: Partial<HostRecap> = {}): HostRecap {
  const none = { ok: 0, changed: 0, skipped: 0, failed: 0, unreachable: 0, undecided: 0 };
  return {
    host,
    end:
      (counts.failed ?? 0) > (more.tolerated ?? 0) ? "failed" : (counts.unreachable ?? 0) > 0 ? "unreachable" : "done",
    counts: { ...none, ...counts },
    tolerated: 0,
    frames: 3,
    bytesSent: 14_200,
    bytesReceived: 812,
    ...more,
  };
}

const conf = label("0", "file /etc/nginx/nginx.conf", { path: ["boot-server"] });
const nginx = label("1", "package nginx");
const unit = label("2", "service nginx");

/** One change of every kind. */
export const changes: readonly FactChange[] = [
  {
    fact: "file:/etc/nginx/nginx.conf",
    secret: false,
    differences: [
      { path: "text", from: "user www;\nworkers 1;\nend\n", to: "user www;\nworkers 4;\npid /run/x;\nend\n" },
      { path: "mode", from: "0600", to: "0644" },
    ],
  },
];

/** A failure with all its parts, as the engine throws it. */
export const failure = new FurrowError("E_STEP", {
  what: '"nginx -t" exited with 1',
  where: { host: "web2", task: "service nginx", source: "/home/me/site.ts:12:5" },
  current: "exit code 1",
  expected: "exit code 0",
  hint: "Read the output below; the service was left as it was",
  details: ['nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2', "nginx: configuration test failed"],
});

/** The error for an unreachable host. */
export const lost = new FurrowError("E_UNREACHABLE", {
  what: "192.0.2.9 port 22 refuses the connection",
  where: { host: "web3" },
  hint: "Check that sshd runs there",
});

const other: readonly FactChange[] = [
  { fact: "package:nginx", secret: false, differences: [{ path: "", from: absent, to: { version: "1.22.1-9" } }] },
];
const unitChanges: readonly FactChange[] = [
  {
    fact: "unit:nginx.service",
    secret: false,
    differences: [
      { path: "state", from: "inactive", to: "active" },
      { path: "invocation", from: absent, to: knownAfterApply },
    ],
  },
];

/** A run on three hosts: one succeeds, one fails, one is unreachable. */
export function recordedRun(mode: Mode): RunEvent[] {
  const hosts = ["web1", "web2", "web3"];
  return [
    { type: "runStarted", run: "4f2a", playbook: "A web server", mode, hosts, version: "0.1.0" },
    { type: "playStarted", play: "web", hosts },
    { type: "hostConnected", host: "web1", durationMs: 212 },
    { type: "hostConnected", host: "web2", durationMs: 1212 },
    { type: "hostStopped", host: "web3", outcome: "unreachable", error: lost },
    { type: "taskStarted", host: "web1", task: conf, attempt: 1 },
    finished("web1", conf, "changed", { changes }),
    { type: "taskStarted", host: "web1", task: nginx, attempt: 1 },
    { type: "stepStarted", host: "web1", task: nginx, step: "apt-get install nginx" },
    { type: "stepOutput", host: "web1", task: nginx, stream: "stdout", text: "Reading package lists...\nUnpack" },
    { type: "stepOutput", host: "web1", task: nginx, stream: "stdout", text: "ing nginx\n" },
    { type: "stepOutput", host: "web1", task: nginx, stream: "stderr", text: "10%\r50%\r100%\n" },
    finished("web1", nginx, "changed", { changes: other, durationMs: 4200 }),
    mode === "check"
      ? finished("web1", unit, "undecided", { dependsOn: { task: "package nginx", facts: ["unit:nginx.service"] } })
      : finished("web1", unit, "changed", { changes: unitChanges, notes: ["configured; needs a restart"] }),
    mode === "check"
      ? finished("web1", label("3", "http-wait"), "ok", { because: "would wait for http://web1/ to answer 200" })
      : finished("web1", label("3", "http-wait"), "skipped", { because: "its condition does not hold" }),
    finished("web2", conf, "ok"),
    { type: "taskRetry", host: "web2", task: unit, error: failure, delaySeconds: 2 },
    { type: "taskStarted", host: "web2", task: unit, attempt: 2 },
    finished("web2", unit, "failed", { error: failure, durationMs: 2100 }),
    { type: "hostStopped", host: "web2", outcome: "failed", error: failure },
    { type: "warning", text: "the clock of web1 is 40 s behind", host: "web1" },
    {
      type: "runFinished",
      run: "4f2a",
      mode,
      durationMs: 12_300,
      interrupted: false,
      recap: [
        recapOf("web1", mode === "check" ? { changed: 2, undecided: 1, ok: 1 } : { changed: 3, skipped: 1 }),
        recapOf("web2", { ok: 1, failed: 1 }),
        recapOf("web3", { unreachable: 1 }, { frames: 0, bytesSent: 0, bytesReceived: 0 }),
      ],
    },
  ];
}
