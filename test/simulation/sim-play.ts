import type { TaskCall } from "../../src/core/authoring/call.ts";
import { block, type Node, on, once } from "../../src/core/authoring/group.ts";
import * as toy from "../engine/toy-tasks.ts";
import type { Scenario, SimOperation } from "./scenario.ts";
import * as sim from "./sim-tasks.ts";

const touching = { provide: toy.provide, disturb: toy.disturb, wreak: toy.wreak };

/** The host that the plays of several hosts all act on. */
export const shared = "shared";

/** The name of the host with this number. */
export function hostName(index: number): string {
  return `h${index}`;
}

/** The nodes that a play lists for one host. Each call returns new task calls, because outputs are stored per call. */
export function nodesFor({ operations, hosts }: Scenario, host: string, run: string): Node[] {
  const outputs: TaskCall[] = [];
  let said = 0;
  const build = (operation: SimOperation, prefix: string): Node => {
    const name = (cell: number): string => `${prefix}c${cell}`;
    const entry = (number: number): string => `${host}-${number}`;
    const keep = (call: TaskCall): TaskCall => {
      outputs.push(call);
      return call;
    };
    switch (operation.op) {
      case "set":
        return keep(
          operation.v === 3
            ? toy.set({ cell: name(operation.cell), gone: true })
            : toy.set({ cell: name(operation.cell), v: operation.v }),
        );
      case "keep":
        // Most tasks in a play do not have to change anything.
        return toy.set({ cell: `${prefix}k`, v: 1 });
      case "raise":
        return toy.raise({ cell: name(operation.cell), min: operation.v });
      case "follow":
        return prefix === "" && toy.follow({ cell: name(operation.cell), v: operation.v });
      case "await":
        return toy.awaitCell({ cell: name(operation.cell), v: operation.v });
      case "copy":
        return toy.copy({ from: name(operation.from), to: name(operation.to) });
      case "provide":
      case "disturb":
      case "wreak":
        return touching[operation.op]({ cell: name(operation.cell), target: name(operation.target), v: operation.v });
      case "place":
        return sim.place({ cell: name(operation.cell), entry: entry(operation.entry), driver: operation.driver });
      case "tree":
        return sim.tree({ prefix, entry: entry(operation.entry), driver: operation.driver });
      case "publish":
        return sim.publish({ cell: name(operation.cell), entry: entry(operation.entry) });
      case "bring":
        return sim.bring({ cell: name(operation.cell), to: `/${run}/${entry(operation.entry)}` });
      case "risky": {
        const { cell, way, times, ignored } = operation;
        const retries = way === "flaky" && { retries: { times: 2, delaySeconds: 1 } };
        return toy.risky({ cell: name(cell), way, times }, { ignoreFailure: ignored, ...retries });
      }
      case "say":
        // Every call in a run has its own text, so a host can detect a repeated command.
        return keep(toy.say({ text: `${host}.${said++} ${operation.text}`, about: name(operation.about) }));
      case "use": {
        const source = outputs.at(-1);
        return source && toy.set({ cell: `${prefix}u${operation.cell}`, w: source.output.map(String) });
      }
      case "conditional": {
        const source = outputs.at(-1);
        return source && toy.set({ cell: `${prefix}w${operation.cell}`, v: 1 }, { when: source.changed });
      }
      case "block": {
        const { inner, rescue, always } = operation;
        const nodes = (list: readonly SimOperation[]): Node[] => list.map((one) => build(one, prefix));
        return block("block", nodes(inner), {
          ...(rescue.length > 0 && { rescue: nodes(rescue) }),
          ...(always.length > 0 && { always: nodes(always) }),
        });
      }
      case "elsewhere":
        return on(
          shared,
          operation.inner.map((one) => build(one, `${host}-`)),
        );
      case "once": {
        const before = outputs.splice(0);
        const children = operation.inner.map((one) => build(one, prefix));
        outputs.splice(0, outputs.length, ...before);
        return once(
          Array.from({ length: 1 + (operation.host % 2) }, (_, index) => hostName((operation.host + index) % hosts)),
          children,
        );
      }
    }
  };
  return operations.map((one) => build(one, ""));
}
