import { z } from "zod";
import { makeCall, type TaskCall } from "../core/authoring/call.ts";
import { block, type Node } from "../core/authoring/group.ts";
import type { Play, Playbook } from "../core/authoring/playbook.ts";
import { factId, type Facts, listFacts } from "../core/facts/fact.ts";
import { parseParams } from "../core/params/params.ts";

/** Receives the ids of those of a task's facts that depend only on the task's params. */
export type Asked = (id: string) => void;

/**
 * Returns a playbook whose check reads the same facts as another playbook. A normal check stops at the first refusal,
 * and does not read the facts of waits. In the returned playbook, each task has a rescue, and each wait is followed by
 * a task that reads the wait's facts and wants nothing.
 *
 * @param asked called during the check
 * @param more facts to read that no task asks for
 */
export function everyTask(playbook: Playbook, asked: Asked, more: Facts = {}): Playbook {
  const plays = playbook.plays.map((play): Play<never> => ({
    ...play,
    tasks: (context) => [...play.tasks(context), reading(more)].map((node) => tolerant(node, asked)),
  }));
  return { ...playbook, confirm: undefined, plays };
}

function tolerant(node: Node, asked: Asked): Node {
  if (node === false || node === null || node === undefined) return node;
  if (isList(node)) return node.map((part) => tolerant(part, asked));
  if (node.node === "composite") {
    return { ...node, expand: (params) => node.expand(params).map((part) => tolerant(part, asked)) };
  }
  if (node.node === "group") return { ...node, children: node.children.map((part) => tolerant(part, asked)) };
  noteFirst(node, asked);
  const tasks = node.module.poll === undefined ? [node] : [node, readerOf(node)];
  return tasks.map((call) => block("reading", [call], { rescue: [] }));
}

function isList(node: Node): node is readonly Node[] {
  return Array.isArray(node);
}

/** A task that reads the same facts as a wait, and wants nothing. */
function readerOf({ module: { card, stages }, input }: TaskCall): TaskCall {
  const { name, summary, params, examples } = card;
  return makeCall({ card: { name, summary, params, examples }, stages, want: () => ({}), steps: () => [] }, input);
}

/** A task that reads these facts and wants nothing. */
function reading(facts: Facts): TaskCall {
  const card = { name: "reading", summary: "Read more about the host", params: z.strictObject({}), examples: [] };
  return makeCall({ card, stages: [() => facts], want: () => ({}), steps: () => [] }, {});
}

function noteFirst({ module, input }: TaskCall, asked: Asked): void {
  const parsed = parseParams(module.card.params, input, () => undefined, { task: module.card.name });
  const [first] = module.stages;
  if (!("params" in parsed) || first === undefined) return;
  for (const { fact } of listFacts(first(parsed.params as never, {} as never))) asked(factId(fact));
}
