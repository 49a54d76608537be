import type { Group, Node } from "../../core/authoring/group.ts";
import { FurrowError } from "../../core/errors.ts";

/** The maximum depth of lists in lists. Nobody writes so many by hand, and furrow walks through them recursively. */
const deepest = 500;

/**
 * Refuses a list of tasks that contains itself, or lists that are nested too deeply to plan. Throws FurrowError
 * E_PLAYBOOK.
 */
export function refuseEndless(nodes: readonly Node[], around: readonly (readonly Node[])[] = []): void {
  if (around.includes(nodes)) throw endless("a list of tasks contains itself", "List each task once");
  if (around.length >= deepest) {
    throw endless(
      `lists of tasks are nested more than ${deepest} levels deep`,
      "Flatten the lists: tasks.flat(Infinity)",
    );
  }
  const inside = [...around, nodes];
  for (const node of nodes) {
    for (const list of listsIn(node)) if (Array.isArray(list)) refuseEndless(list as readonly Node[], inside);
  }
}

/** The list that a node is, or the lists of a block. */
function listsIn(node: Node): readonly unknown[] {
  if (!node) return [];
  if (Array.isArray(node)) return [node];
  const { node: kind, children, options } = node as Group;
  return kind === "group" ? [children, options.rescue, options.always] : [];
}

function endless(what: string, hint: string): FurrowError {
  return new FurrowError("E_PLAYBOOK", { what, expected: "a list of tasks, roles, blocks, or lists of them", hint });
}
