import { HostBook } from "../../src/cli/hosts.ts";
import { findDriver } from "../../src/cli/drivers/index.ts";
import type { FurrowError } from "../../src/core/errors.ts";
import type { Mode, RunEvent } from "../../src/core/events.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import type { Connection } from "../../src/core/inventory/inventory-entries.ts";
import { type Play, playbook } from "../../src/core/authoring/playbook.ts";
import { runPlaybook } from "../../src/engine/run/run.ts";
import { noCommandLine } from "../../src/load/vars/precedence.ts";

/** Settings for one run of a play on one host over a real connection. */
export interface OneRun {
  readonly connection: Connection;
  readonly become?: Play<never>["become"];
  readonly mode: Mode;
  readonly nodes: readonly Node[];
}

/** The result of a task. */
export interface TaskEnd {
  readonly title: string;
  readonly outcome: string;
  /** The stdout of the task's steps. */
  readonly said: string;
  readonly error: FurrowError | undefined;
}

/** The result of a run. */
export interface OneRunEnd {
  readonly tasks: readonly TaskEnd[];
  /** The error that stopped the host. */
  readonly error: FurrowError | undefined;
}

const { signal } = new AbortController();

/** Runs a play on the host "web1" with the engine, sessions and connections that the command line uses. */
export async function runOnce({ connection, become, mode, nodes }: OneRun): Promise<OneRunEnd> {
  const definition = { hosts: { web1: connection }, groups: {} };
  const loaded = { label: "test", definition, origins: {}, leftOut: [], topGroups: [] };
  const book = new HostBook(loaded, noCommandLine, undefined, () => ({}));
  const events: RunEvent[] = [];
  const host = book.booked(book.merged("web1"));
  const play = { hosts: "web1", ...(become !== undefined && { become }), tasks: () => nodes };
  const { errors } = await runPlaybook({
    playbook: playbook({ name: "test", plays: [play] }),
    mode,
    hostsOf: () => [host],
    hostNamed: () => host,
    newHost: () => host,
    varsOf: () => ({}),
    connect: (request) => book.connect("web1", request.become, request.signal),
    drivers: findDriver,
    sink: (event) => void events.push(event),
    run: `test${Math.random().toString(36).slice(2)}`,
    version: "0",
    stop: signal,
  });
  const said = new Map<string, string>();
  const tasks: TaskEnd[] = [];
  for (const event of events) {
    if (event.type === "stepOutput" && event.stream === "stdout") {
      said.set(event.task.id, (said.get(event.task.id) ?? "") + event.text);
    } else if (event.type === "taskFinished") {
      const { task, outcome, error } = event;
      tasks.push({ title: task.title, outcome, said: said.get(task.id)?.trim() ?? "", error });
    }
  }
  return { tasks, error: errors[0] };
}
