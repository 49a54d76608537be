import { execFileSync } from "node:child_process";
import { block, type Node } from "../../src/core/authoring/group.ts";
import type { Session } from "../../src/core/host/frame.ts";
import * as t from "../../tasks/index.ts";
import { seeded } from "../seeded.ts";
import { type Compared, differ, drive, failure, nodeOf } from "./compare.ts";
import { randomCase, type RandomCase } from "./random-cases.ts";
import { dropTree, makeTree, picture, placedTask } from "./real-trees.ts";

/**
 * Runs a case on the same tree twice: with steps sent ahead, and one task at a time. The outcomes and the final trees
 * must be the same. Between the tasks are commands that the engine cannot predict, and some tasks run as another user.
 */
export async function compareWays(seed: number, folder: string, inputs: string, session: Session): Promise<Compared> {
  const whole = randomCase(seed);
  const root = `${folder}/furrow`;
  const run = async (oneByOne: boolean): Promise<{ ends: unknown[]; tree: string[] }> => {
    makeTree(root, whole.tree);
    try {
      // A read-only mount stays as it is.
      if (seed % 2 === 0) execFileSync("sh", ["-c", 'chmod -R a+w "$1" 2>&1 || true', "sh", root]);
      const ends = await drive(nodesOf(whole, root, inputs), session, "apply", { oneByOne });
      return { ends, tree: picture(root) };
    } finally {
      dropTree(root);
    }
  };
  const [ahead, alone] = [await run(false), await run(true)];
  if (differ(ahead.ends, alone.ends))
    return failure(whole, "outcomes differ between steps sent ahead and tasks run one by one", ahead.ends, alone.ends);
  if (differ(ahead.tree, alone.tree))
    return failure(whole, "trees differ between steps sent ahead and tasks run one by one", ahead.tree, alone.tree);
  return { found: undefined, tasks: ahead.ends.length, undecided: 0 };
}

/** The tasks of a case, with other tasks between them. */
function nodesOf(whole: RandomCase, root: string, inputs: string): Node[] {
  const below = seeded(whole.seed + 2_000_000);
  const files = whole.tree.filter(({ made }) => made === "file").map(({ path }) => `${root}/${path}`);
  const pick = <T>(list: readonly T[]): T | undefined => list[below(list.length)];
  const between = (): Node => {
    const [one = `${root}/f`, two = `${root}/g`] = [pick(files), pick(files)];
    switch (below(10)) {
      case 0:
      case 1:
        return t.command({ command: ["true"], always: true });
      case 2:
        return t.command({
          command: ["sh", "-c", '[ "$1" -ef "$2" ] || ln -f "$1" "$2"', "sh", one, two],
          always: true,
        });
      case 3: {
        const made = `${root}/deep/${below(2)}/made`;
        const script = 'mkdir -p "${1%/*}" && echo >"$1"';
        return t.command({ command: ["sh", "-c", script, "sh", made], creates: made, disturbs: [`file:${made}`] });
      }
      case 4:
        return t.file({ path: `${root}/deep/${below(2)}`, state: "directory" });
      case 5:
        return t.fileLine({ path: one, line: "b" });
      default:
        return undefined;
    }
  };
  const as = (node: Node): Node => {
    const user = ["nobody", "nobody", "root"][below(8)];
    return user === undefined ? node : block("as", [node], { become: user });
  };
  return whole.tasks.flatMap((task) => [as(between()), as(nodeOf(placedTask(root, inputs, task)))]);
}
