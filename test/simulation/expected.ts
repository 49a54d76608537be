import type { Session } from "../../src/core/host/frame.ts";
import { absent } from "../../src/core/facts/symbols.ts";
import type { Planned, PlannedGroup } from "../../src/engine/plan/plan.ts";
import { SimulatedHost } from "../../src/transport/simulated.ts";
import { codeError, Failed, type Happening } from "../engine/oracle/oracle-terms.ts";
import type { NaiveController } from "../engine/oracle/oracle-setting.ts";
import { Oracle } from "../engine/oracle/oracle.ts";
import { performToy } from "../engine/toy-tasks.ts";

/** The report that a run must give about one host. */
export interface Expected {
  readonly happenings: readonly Happening[];
  readonly said: readonly string[];
}

/** The state of a simulated controller: entries by name, and files. */
export interface Bench {
  readonly entries: Map<string, { v: number; names: readonly string[] }>;
  readonly files: Map<string, string>;
}

/** The initial state for the naive executor. */
export interface Start {
  readonly plans: ReadonlyMap<string, readonly Planned[]>;
  /** Cells by host; executing the plan changes them. */
  readonly cells: ReadonlyMap<string, Map<string, unknown>>;
  readonly bench: Bench;
  /** Returns the host that ran a group on behalf of all hosts, if the run has reported it. */
  readonly owner: (group: PlannedGroup) => string;
}

/** The `bench` driver's answer for an entry, which is the same for every host. */
export function readEntry({ entries }: Bench, entry: string): unknown {
  const found = entries.get(entry);
  return found === undefined ? absent : { ...found, names: [...found.names] };
}

/** The `files` driver's answer for a fetched file. */
export function readLocal({ files }: Bench, path: string): unknown {
  const text = files.get(path);
  return text === undefined ? absent : { v: (JSON.parse(text) as { v: number }).v };
}

/** Executes each host's plan on the cells, one task at a time. Returns what the run must report about each host. */
export async function expectedOf({ plans, cells, bench, owner }: Start): Promise<Map<string, Expected>> {
  const sessions = new Map<string, Session>();
  const hosts = new Map<string, SimulatedHost>();
  for (const [name, state] of cells) {
    const host = new SimulatedHost(state, (step, own) => performToy(step.step === "run" ? step.argv : [], own), true);
    hosts.set(name, host);
    sessions.set(name, host.open());
  }
  const controller: NaiveController = {
    read: (driver, request) =>
      driver === "files"
        ? readLocal(bench, (request as { path: string }).path)
        : readEntry(bench, (request as { entry: string }).entry),
    act: (host, step) => {
      if (step.step === "call") {
        const { entry, v } = step.request as { entry: string; v: number };
        bench.entries.set(entry, { names: [], ...bench.entries.get(entry), v });
        return [{ exitCode: 0, stdout: "", stderr: "" }];
      }
      const cell = hosts.get(host)?.state.get(`cell:${step.path.slice(1)}`);
      if (cell === undefined) throw codeError("E_STEP");
      bench.files.set(step.to, JSON.stringify(cell));
      return [{ exitCode: 0, stdout: "", stderr: "" }];
    },
  };
  const groups = new OnceTable();
  const made = await Promise.all(
    [...plans].map(async ([name, plan]): Promise<[string, Expected]> => {
      const oracle = new Oracle(sessions, "apply", {
        controller,
        once: async (group, act) => {
          if (owner(group) !== name) {
            if (!(await groups.went(group.id, owner(group)))) throw new Failed();
            return;
          }
          try {
            await act();
          } catch (error) {
            groups.settle(group.id, false);
            throw error;
          }
          groups.settle(group.id, true);
        },
      });
      await oracle.run(plan);
      groups.leave(name);
      return [name, { happenings: oracle.happenings, said: oracle.said }];
    }),
  );
  for (const [name, host] of hosts) {
    const state = cells.get(name);
    state?.clear();
    for (const [id, value] of host.state) state?.set(id, value);
  }
  return new Map(made);
}

/** Records the results of the groups that one host runs on behalf of all. */
class OnceTable {
  readonly #ends = new Map<string, boolean>();
  readonly #gone = new Set<string>();
  #waiting: (() => void)[] = [];

  /** Resolves to true if the group succeeded, and to false if it failed or if its owner ended before reaching it. */
  async went(id: string, owner: string): Promise<boolean> {
    while (!this.#ends.has(id) && !this.#gone.has(owner)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#ends.get(id) ?? false;
  }

  settle(id: string, went: boolean): void {
    this.#ends.set(id, went);
    this.#wake();
  }

  leave(host: string): void {
    this.#gone.add(host);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
