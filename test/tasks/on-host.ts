import { execFile, spawn } from "node:child_process";
import { findDriver } from "../../src/cli/drivers/index.ts";
import type { FurrowError } from "../../src/core/errors.ts";
import type { FactChange, Mode, RunEvent } from "../../src/core/events.ts";
import type { Session } from "../../src/core/host/frame.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { playbook } from "../../src/core/authoring/playbook.ts";
import type { Channel, Link } from "../../src/core/host/transport.ts";
import { runPlaybook } from "../../src/engine/run/run.ts";
import { hostLeader, type LabHost } from "../../src/lab/index.ts";
import { openFrameSession } from "../../src/transport/frame/session/session.ts";
import { localChannel } from "../../src/transport/local/channel.ts";

/** The outcome of one task. */
export interface TaskEnd {
  readonly title: string;
  readonly outcome: string;
  /** Ids of the facts that changed, or would change in check mode. */
  readonly facts: readonly string[];
  readonly changes: readonly FactChange[];
  readonly notes: readonly string[];
  readonly dependsOn?: string | undefined;
  /** What a wait in check mode would wait for. */
  readonly because?: string | undefined;
  readonly steps: readonly string[];
  readonly error?: FurrowError | undefined;
}

/** A host for testing tasks, with the real engine and real frames but without ssh. */
export interface TaskHost {
  /** Runs tasks; the result includes failures. */
  apply(...nodes: readonly Node[]): Promise<TaskEnd[]>;
  /** Returns what check mode reports for the tasks. */
  check(...nodes: readonly Node[]): Promise<TaskEnd[]>;
  /** Runs a script as root, without furrow. Returns its stdout. Throws if it fails. */
  sh(script: string): Promise<string>;
}

/** The arguments that start a shell inside a lab host by entering the host's namespaces. */
export async function labShell(host: LabHost): Promise<readonly string[]> {
  const leader = await hostLeader(host);
  const namespaces = ["mount", "uts", "ipc", "net", "pid", "cgroup", "root", "wd"].map((name) => `--${name}`);
  const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  return ["nsenter", `--target=${leader}`, ...namespaces, "env", "-i", path, "HOME=/root", "sh"];
}

/** A lab host that is reached by entering its namespaces. */
export async function labTaskHost(host: LabHost): Promise<TaskHost> {
  return taskHost(await labShell(host));
}

/** This machine, or a view of it that a command such as `chroot` creates: `shell` is the program that reads frames. */
export function taskHost(shell: readonly string[] = ["sh"]): TaskHost {
  const run = (mode: Mode, nodes: readonly Node[]): Promise<TaskEnd[]> => runTasks(shell, mode, nodes);
  return {
    apply: (...nodes) => run("apply", nodes),
    check: (...nodes) => run("check", nodes),
    sh: (script) => shellOut(shell, script),
  };
}

function shellOut([program = "sh", ...words]: readonly string[], script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, [...words, "-c", script], { encoding: "utf8" }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${script}\n${stdout}${stderr}`, { cause: error }));
      else resolve(stdout);
    }).stdin?.end();
  });
}

/** Runs tasks with --paranoid on a host through this shell; the result includes failures. */
export async function watchTasks(shell: readonly string[], nodes: readonly Node[]): Promise<TaskEnd[]> {
  return ends(await runNodes(shell, "apply", nodes, { paranoid: true }));
}

async function runTasks(shell: readonly string[], mode: Mode, nodes: readonly Node[]): Promise<TaskEnd[]> {
  return ends(await runNodes(shell, mode, nodes));
}

/** Opens a session on a host through this shell. */
export function sessionOn(shell: readonly string[], signal: AbortSignal): Promise<Session> {
  return openFrameSession({ host: "here", link: linkTo(shell), user: "root", become: undefined, signal });
}

/** Runs tasks on a host through this shell. Returns all events of the engine. */
export async function runNodes(
  shell: readonly string[],
  mode: Mode,
  nodes: readonly Node[],
  more: { readonly paranoid?: boolean; readonly oneByOne?: boolean } = {},
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const host = { name: "here", address: "127.0.0.1", groups: [], vars: {}, userFor: () => "root" };
  await runPlaybook({
    playbook: playbook({ name: "test", plays: [{ hosts: "here", tasks: () => nodes }] }),
    mode,
    hostsOf: () => [host],
    hostNamed: () => host,
    newHost: () => host,
    varsOf: () => ({}),
    connect: ({ signal }) => sessionOn(shell, signal),
    drivers: findDriver,
    sink: (event) => void events.push(event),
    run: "test",
    version: "0",
    ...more,
  });
  return events;
}

function ends(events: readonly RunEvent[]): TaskEnd[] {
  const steps = new Map<string, string[]>();
  const list: TaskEnd[] = [];
  for (const event of events) {
    if (event.type === "stepStarted") {
      steps.set(event.task.id, [...(steps.get(event.task.id) ?? []), event.step]);
    } else if (event.type === "taskFinished") {
      const { task, outcome, changes, notes, dependsOn, because, error } = event;
      list.push({
        title: task.title,
        outcome,
        facts: changes.map(({ fact }) => fact),
        changes,
        notes,
        dependsOn: dependsOn?.task,
        because,
        steps: steps.get(task.id) ?? [],
        error,
      });
    }
  }
  return list;
}

function linkTo([program = "sh", ...words]: readonly string[]): Link {
  const exec = async (command: string): Promise<Channel> => {
    const child = spawn(program, [...words, "-c", command], { detached: true });
    await new Promise((resolve) => child.once("spawn", resolve));
    return localChannel(child, "here", { sent: 0, received: 0 });
  };
  return {
    exec,
    execPty: exec,
    stats: () => ({ bytesSent: 0, bytesReceived: 0, channels: 1 }),
    close: () => Promise.resolve(),
    closed: new Promise(() => {}),
  };
}
