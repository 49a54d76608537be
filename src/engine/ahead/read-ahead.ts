import { walkStages, collect } from "../../core/authoring/evaluate.ts";
import { type Fact, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { parseParams } from "../../core/params/params.ts";
import { isRan } from "../../core/facts/ran.ts";
import type { OutputLookup } from "../../core/authoring/ref.ts";
import { ControlFlowError } from "../../core/control-flow-error.ts";
import { accountOf } from "../plan/become-account.ts";
import { parentDirectoriesOf } from "../plan/parent-directories.ts";
import { addQuestion, type ReadContext } from "../host/questions.ts";
import { type PlannedTask, whereOf } from "../plan/plan.ts";

/**
 * The unsettled questions of upcoming tasks, from all stages that can be evaluated with known or guessed values.
 * Excludes controller facts, and the facts of waits, of the user's own commands and of tasks with unknown params: these
 * are read only when their task's turn comes. `user` is the session's user.
 */
export function questionsAhead(
  tasks: Iterable<PlannedTask>,
  picture: ReadContext,
  lookup: OutputLookup,
  user: string | undefined,
): Fact[] {
  const questions = new Map<string, Fact>();
  for (const task of tasks) {
    if (task.call.module.poll !== undefined || task.when.includes(false)) continue;
    const account = accountOf(task, user);
    if (account !== undefined && !picture.isSettled(account)) addQuestion(questions, account, picture);
    for (const fact of openFacts(task, picture, lookup, user)) {
      if (isAheadable(fact)) addQuestion(questions, fact, picture);
    }
  }
  return [...questions.values()];
}

/** The unsettled facts of a task, up to the first stage that needs an unknown value. */
function openFacts(task: PlannedTask, picture: ReadContext, lookup: OutputLookup, user: string | undefined): Fact[] {
  const open: Fact[] = [];
  try {
    walkStages(task.call.module, paramsOf(task, lookup), (stage) => {
      const facts = listFacts(stage).flatMap(({ fact }) => (isRan(fact) ? [] : [fact]));
      const asked = [...facts, ...parentDirectoriesOf(task, user, stage)];
      open.push(...asked.filter((fact) => !picture.isSettled(fact)));
      if (facts.some((fact) => picture.lookup(fact) === undefined)) return undefined;
      return collect(stage, (fact) => (isRan(fact) ? false : picture.lookup(fact)?.value));
    });
  } catch {
    // The same failure will be reported when the task's turn comes.
  }
  return open;
}

function paramsOf({ parsed, call }: PlannedTask, lookup: OutputLookup): unknown {
  const known = "params" in parsed ? parsed : parseParams(call.module.card.params, call.input, lookup, whereOf(call));
  if (!("params" in known)) throw new ControlFlowError("params are not known yet");
  return known.params;
}

function isAheadable(fact: Fact): boolean {
  return !isControllerFact(fact) && kindOf(fact.kind).neverAhead !== true;
}
