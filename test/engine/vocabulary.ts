import type { TaskCall } from "../../src/core/authoring/call.ts";
import { block, type Node, on } from "../../src/core/authoring/group.ts";
import type { Ref } from "../../src/core/authoring/ref.ts";
import type { TaskOptions } from "../../src/core/authoring/task-options.ts";
import type { Operation, Program, Wish } from "./programs.ts";

/**
 * The tasks that a random program's operations represent on one type of host. Cells are numbers; a vocabulary maps each
 * number to an object. If an operation lists several tasks, later operations refer to the output of the last one.
 */
export interface Vocabulary {
  set(cell: number, wish: Wish, leaf: number, options?: TaskOptions): readonly TaskCall[];
  raise(cell: number, min: number): Node;
  /** Creates a cell if a user's command does not find it; `declared`: the author says what that command reads. */
  probe(cell: number, declared: boolean): Node;
  follow(cell: number, v: number): Node;
  await(cell: number, v: number): Node;
  copy(from: number, to: number, wishes: Program["wishes"]): Node;
  provide(cell: number, target: number, v: number, wishes: Program["wishes"]): Node;
  disturb(cell: number, target: number, v: number, wishes: Program["wishes"]): Node;
  wreak(cell: number, target: number, v: number, wishes: Program["wishes"]): Node;
  risky(operation: Extract<Operation, { op: "risky" }>): Node;
  /** Wants a cell to be filled. One step can serve several adjacent operations of this type. */
  fill(cell: number): Node;
  say(text: string, about: number): TaskCall;
  /** Wants a cell to have the value that an earlier task has output. */
  use(cell: number, source: TaskCall): Node;
  /** Acts if an earlier task has reported a change. */
  conditional(cell: number, changed: Ref<boolean>): Node;
}

/**
 * The tasks of a program as a play would list them. Each call returns new task calls, because outputs are stored per
 * call.
 */
export function nodesOf({ operations, wishes }: Program, words: Vocabulary): Node[] {
  const outputs: TaskCall[] = [];
  const build = (operation: Operation): Node => {
    switch (operation.op) {
      case "set": {
        const wish = wishes[operation.cell] ?? { v: 0, w: "x", gone: false, sort: 0 };
        const calls = words.set(operation.cell, wish, operation.leaf);
        outputs.push(...calls.slice(-1));
        const other = { ...wish, v: wish.v + 1, w: `not ${wish.w}`, gone: !wish.gone && wish.v === 3 };
        return operation.detour === true
          ? [...words.set(operation.cell, other, operation.leaf, { temporary: true }), ...calls]
          : calls;
      }
      case "probe":
        return words.probe(operation.cell, operation.declared);
      case "raise":
      case "follow":
      case "await":
        return words[operation.op](operation.cell, operation.v);
      case "copy":
        return operation.from === operation.to ? undefined : words.copy(operation.from, operation.to, wishes);
      case "provide":
      case "disturb":
      case "wreak": {
        const { op, cell, target, v } = operation;
        return cell === target ? undefined : words[op](cell, target, v, wishes);
      }
      case "risky":
        return words.risky(operation);
      case "fill":
        return words.fill(operation.cell);
      case "say": {
        const call = words.say(operation.text, operation.about);
        outputs.push(call);
        return call;
      }
      case "use": {
        const source = outputs.at(-1);
        return source && words.use(operation.cell, source);
      }
      case "conditional": {
        const source = outputs.at(-1);
        return source && words.conditional(operation.cell, source.changed);
      }
      case "block": {
        const { inner, rescue, always } = operation;
        return block("block", inner.map(build), {
          ...(rescue.length > 0 && { rescue: rescue.map(build) }),
          ...(always.length > 0 && { always: always.map(build) }),
        });
      }
      case "elsewhere":
        return on("other", operation.inner.map(build));
    }
  };
  return operations.map(build);
}
