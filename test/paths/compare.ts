import { exactly } from "../../src/core/facts/fact.ts";
import type { Session } from "../../src/core/host/frame.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { findDriver } from "../../src/cli/drivers/index.ts";
import * as t from "../../tasks/index.ts";
import { driveEngine, type EngineOptions, planOn } from "../engine/comparison.ts";
import { type PlainOutcome, type PlainTask, Unspecified } from "./plain-files.ts";
import { perform } from "./plain-oracle.ts";
import { randomCase, type RandomCase } from "./random-cases.ts";
import { dropTree, makeTree, picture, placedTask } from "./real-trees.ts";

/** The result of a task in the engine. */
export interface End {
  readonly outcome: string;
  readonly error?: string;
}

/** The equivalent task for the engine. */
export function nodeOf(task: PlainTask): Node {
  switch (task.task) {
    case "file": {
      const { path, content, mode } = task;
      return t.file({ path, content, ...(mode !== undefined && { mode }) });
    }
    case "directory": {
      const { path, mode } = task;
      return t.file({ path, state: "directory", ...(mode !== undefined && { mode }) });
    }
    case "link":
      return t.file({ path: task.path, state: "link", target: task.target });
    case "absent":
      return t.file({ path: task.path, state: "absent", recursive: task.recursive });
    case "line": {
      const { path, line, create, match } = task;
      return t.fileLine({ path, line, create, ...(match !== undefined && { match }) });
    }
    case "noLine":
      return t.fileLine({ path: task.path, state: "absent", line: task.line });
    case "block":
      return t.fileBlock({ path: task.path, block: task.block, create: task.create });
    case "command":
      return commandOf(task);
    case "tree":
      return t.directoryTree({ path: task.path, source: task.source, purge: task.purge });
    case "unarchive": {
      const { archive, to, creates } = task;
      return t.unarchive({ archive, path: to, ...(creates !== undefined && { creates }) });
    }
  }
}

const scripts = {
  append: 'printf "%s\\n" "$2" >>"$1"',
  relink: '[ -L "$1" ] && rm "$1" && ln -s "$2" "$1"',
  move: '[ ! -e "$2" ] && [ ! -L "$2" ] && mv -T "$1" "$2"',
};

function commandOf({ act, creates, declared }: Extract<PlainTask, { task: "command" }>): Node {
  const second = act.does === "append" ? act.text : act.does === "relink" ? act.target : act.to;
  const command = ["sh", "-c", scripts[act.does], "sh", act.path, second];
  const disturbs = declared ? { disturbs: [`file:${exactly(act.path)}`] } : {};
  return creates === undefined
    ? t.command({ command, always: true, ...disturbs })
    : t.command({ command, creates, ...disturbs });
}

/** Runs tasks with the engine in a session that stays open, up to the first failure. */
export async function drive(
  nodes: readonly Node[],
  session: Session,
  mode: "check" | "apply",
  options: EngineOptions = {},
): Promise<End[]> {
  const kept: Session = {
    user: session.user,
    frame: (frame, listener, signal) => session.frame(frame, listener, signal),
    fetch: (step, signal) => session.fetch(step, signal),
    stats: () => session.stats(),
    close: () => Promise.resolve(),
  };
  const said: string[] = [];
  const more = { ...options, drivers: findDriver, said };
  const told = await driveEngine(planOn("main", nodes), () => kept, mode, more);
  const warnings = said.filter((text) => text.startsWith("internal") || text.includes("sent ahead"));
  return [
    ...told.map(({ outcome, error }) => ({ outcome, ...(error !== undefined && { error }) })),
    ...warnings.map((text) => ({ outcome: text })),
  ];
}

/** The result of comparing one case. */
export interface Compared {
  /** How engine and oracle differ; undefined if they do not. */
  readonly found: string | undefined;
  readonly tasks: number;
  readonly undecided: number;
}

/** Runs a case on twin trees: check, a run and a second run with the engine, and two runs with the oracle. */
export async function compare(seed: number, folder: string, inputs: string, session: Session): Promise<Compared> {
  const whole = randomCase(seed);
  const [ours, theirs] = [`${folder}/furrow`, `${folder}/oracle`];
  makeTree(theirs, whole.tree);
  const expected: PlainOutcome[] = [];
  let again: PlainOutcome[] = [];
  let goal: string[] = [];
  let last: string[] = [];
  try {
    try {
      for (const task of whole.tasks) {
        expected.push(perform(placedTask(theirs, inputs, task)));
        if (expected.at(-1) === "failed") break;
      }
    } catch (error) {
      if (!(error instanceof Unspecified)) throw error;
      return { found: undefined, tasks: 0, undecided: 0 };
    }
    goal = picture(theirs);
    again = secondRun(whole, theirs, inputs) ?? [];
    last = picture(theirs);
  } finally {
    dropTree(theirs);
  }
  makeTree(ours, whole.tree);
  try {
    const nodes = (): Node[] => whole.tasks.map((task) => nodeOf(placedTask(ours, inputs, task)));
    const before = picture(ours);
    const checked = await drive(nodes(), session, "check");
    if (differ(before, picture(ours))) return failure(whole, "check changed the tree", before, picture(ours));
    const ran = await drive(nodes(), session, "apply");
    const ends = ran.map(({ outcome }) => outcome);
    if (differ(ends, expected)) return failure(whole, "outcomes", expected, ran, checked);
    if (expected.at(-1) !== "failed" && differ(picture(ours), goal))
      return failure(whole, "trees", goal, picture(ours));
    const lie = lieOf(whole.tasks, checked, ran);
    if (lie !== undefined) return failure(whole, `check was wrong about task ${lie}`, checked, ran);
    // Only every fourth case is run a second time, because the programs that the host starts make a run expensive.
    if (seed % 4 === 0 && expected.at(-1) !== "failed" && again.length > 0) {
      const rerun = (await drive(nodes(), session, "apply")).map(({ outcome }) => outcome);
      if (differ(rerun, again)) return failure(whole, "outcomes of a second run", again, rerun);
      if (again.at(-1) !== "failed" && differ(picture(ours), last))
        return failure(whole, "trees after a second run", last, picture(ours));
    }
    const undecided = checked.filter(({ outcome }) => outcome === "undecided").length;
    return { found: undefined, tasks: ran.length, undecided };
  } finally {
    dropTree(ours);
  }
}

function secondRun(whole: RandomCase, root: string, inputs: string): PlainOutcome[] | undefined {
  const outcomes: PlainOutcome[] = [];
  try {
    for (const task of whole.tasks) {
      outcomes.push(perform(placedTask(root, inputs, task)));
      if (outcomes.at(-1) === "failed") break;
    }
  } catch (error) {
    if (error instanceof Unspecified) return undefined;
    throw error;
  }
  return outcomes;
}

/**
 * Returns the first task whose outcome differs from check's prediction. Check cannot know the result of a step, the
 * content of an archive, or the effect of a command that declares nothing.
 */
function lieOf(tasks: readonly PlainTask[], checked: readonly End[], ran: readonly End[]): number | undefined {
  const opaque = tasks.findIndex(
    (task, index) => task.task === "command" && !task.declared && ran[index]?.outcome === "changed",
  );
  const at = ran.findIndex(({ outcome, error }, index) => {
    const said = checked[index]?.outcome;
    if (said === outcome || said === "undecided" || (opaque >= 0 && index > opaque)) return false;
    const isOpen = tasks[index]?.task === "command" || tasks[index]?.task === "unarchive";
    if (isOpen && error === "E_NOT_CONVERGED" && said === "changed") return false;
    const isOfStep = error === "E_STEP" || (error === "E_READ_ONLY" && tasks[index]?.task === "command");
    return !(outcome === "failed" && isOfStep && said === "changed");
  });
  return at < 0 ? undefined : at;
}

/** True if two lists differ. */
export function differ(a: readonly unknown[], b: readonly unknown[]): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}

/** The result for a case that differs, with the case and what was seen. */
export function failure(whole: RandomCase, what: string, ...seen: readonly unknown[]): Compared {
  const text = seen.map((one) => JSON.stringify(one, undefined, 1)).join("\n--\n");
  const tree = whole.tree.map((one) => JSON.stringify(one)).join("\n");
  const tasks = whole.tasks.map((one) => JSON.stringify(one)).join("\n");
  return { found: `${what}\n${tree}\n${tasks}\n${text}`, tasks: 0, undecided: 0 };
}
