import { journalMutants } from "./journal-mutants.ts";
import { simulationMutants } from "./simulation-mutants.ts";
import { tapeMutants } from "./tape-mutants.ts";
import type { Mutant } from "./mutant.ts";

const apply = "engine/apply.ts";
const attempt = "engine/attempt.ts";
const effects = "engine/effects.ts";
const foresee = "engine/foresee.ts";
const runTask = "engine/run-task.ts";
const runHost = "engine/run-host.ts";
const knowledge = "engine/knowledge.ts";

/** Mistakes that show in frames that are sent ahead, in lines that are lost, and in what others do meanwhile. */
export const frameMutants: readonly Mutant[] = [...tapeMutants, ...simulationMutants, ...journalMutants];

/** Mistakes somebody could make in how the engine decides on tasks and goes through a plan. */
export const planMutants: readonly Mutant[] = [
  { name: "forget to verify", file: apply, from: "  holdToWant(facts, host, held);\n", to: "", mode: "apply" },
  {
    name: "drop declared disturbance",
    file: effects,
    from: "const direct = [\n    ...declared,\n",
    to: "const direct = [\n",
    mode: "apply",
  },
  {
    name: "take an undeclared step for harmless",
    file: effects,
    from: '(opaque ? ["everything"] : [])',
    to: "[]",
    mode: "apply",
  },
  {
    name: "drop what may be provided",
    file: effects,
    from: "    provided,\n",
    to: "    provided: [],\n",
    mode: "apply",
  },
  {
    name: "take a failed step for a success",
    file: apply,
    from: "  if (failed) {",
    to: "  if (failed && results.length > 9) {",
    mode: "apply",
  },
  {
    name: "put out values from before the steps",
    file: apply,
    from: "{ ...gathered.values, ...Object.fromEntries(after) }",
    to: "gathered.values",
    mode: "apply",
  },
  {
    name: "never forget",
    file: knowledge,
    from: "this.#forgotten.add(this.#tick(), patterns, undefined);",
    to: "this.#forgotten.add(this.#tick(), patterns.slice(patterns.length), undefined);",
    mode: "apply",
  },
  {
    name: "act although nothing differs",
    file: attempt,
    from: 'if (decision.match === "same") {',
    to: 'if (decision.match === "unknown") {',
    mode: "apply",
  },
  {
    name: "act in check mode",
    file: attempt,
    from: 'if (context.mode === "check") {\n    const right',
    to: 'if (context.mode === "check" && planned.id === "never") {\n    const right',
    mode: "check",
  },
  {
    name: "ask only the first stage",
    file: attempt,
    from: "    stage = stages.next(values);\n  }",
    to: "    stage = { done: true, value: stage.value };\n  }",
    mode: "apply",
  },
  {
    name: "perform steps in reverse",
    file: "engine/script.ts",
    from: "steps: stepsAs(task, steps, user),",
    to: "steps: stepsAs(task, steps, user).toReversed(),",
    mode: "apply",
  },
  {
    name: "shift answers by one",
    file: "engine/read.ts",
    from: "answers[index];\n    if (answer === undefined) return;\n    if",
    to: "answers[(index + 1) % answers.length];\n    if (answer === undefined) return;\n    if",
    mode: "apply",
  },
  {
    name: "predict nothing",
    file: foresee,
    from: 'wanted !== undefined && match !== "same" && !isRan(fact)',
    to: "wanted === knownAfterApply",
    mode: "check",
  },
  {
    name: "predict what was there",
    file: foresee,
    from: "for (const { fact, after } of foreseen) host.knowledge.predict(",
    to: "for (const { fact, now: after } of foreseen) host.knowledge.predict(",
    mode: "check",
  },
  {
    name: "drop clouds in check mode",
    file: foresee,
    from: "  foreseeAftermath(planned, params, host, title, !certain, gathered.values);\n",
    to: "",
    mode: "check",
  },
  {
    name: "look through clouds",
    file: knowledge,
    from: "if (cloud) return { value: knownAfterApply, by: cloud.by };",
    to: 'if (cloud && id === "") return undefined;',
    mode: "check",
  },
  {
    name: "leave a predicted fact in its cloud",
    file: knowledge,
    from: "this.#predictedAt.set(id, at);",
    to: "this.#predictedAt.set(id, 0);",
    mode: "check",
  },
  {
    name: "call the undecided changed",
    file: foresee,
    from: 'decision.match === "differs";',
    to: 'decision.match !== "same";',
    mode: "check",
  },
  {
    name: "count an ignored failure as one",
    file: runTask,
    from: "if (!ignored) throw failure;",
    to: "throw failure;",
    mode: "apply",
  },
  {
    name: "retry once too often",
    file: runTask,
    from: "if (tried >= retry.times || final)",
    to: "if (tried > retry.times || final)",
    mode: "apply",
  },
  {
    name: "never retry",
    file: runTask,
    from: "if (tried >= retry.times || final)",
    to: "if (tried >= 0 || final)",
    mode: "apply",
  },
  {
    name: "ignore conditions",
    file: runTask,
    from: "for (const condition of planned.when) {",
    to: "for (const condition of planned.when.slice(1)) {",
    mode: "apply",
  },
  {
    name: "take an unknown condition for false",
    file: runTask,
    from: 'if (value === knownAfterApply) return "unknown";',
    to: "",
    mode: "check",
  },
  {
    name: "call every task changed",
    file: runTask,
    from: 'done.outcome === "changed";',
    to: 'done.outcome !== "failed" as never;',
    mode: "apply",
  },
  {
    name: "forget outputs",
    file: runTask,
    from: "context.outputs.set(planned.call, context.playHost, { value, changed });",
    to: "",
    mode: "apply",
  },
  {
    name: "send delegated tasks to the play's host",
    file: runHost,
    from: "host: hostFor(task),",
    to: "host: hostFor({ ...task, target: this.#context.playHost }),",
    mode: "apply",
  },
  {
    name: "skip rescue",
    file: runHost,
    from: "      await this.#nodes(group.rescue, after);\n",
    to: "",
    mode: "apply",
  },
  {
    name: "fail in spite of a rescue",
    file: runHost,
    from: "|| group.rescue === undefined) throw failure;",
    to: "|| group.rescue !== undefined) throw failure;",
    mode: "apply",
  },
  {
    name: "skip always",
    file: runHost,
    from: "if (group.always) await",
    to: "if (group.always && group.rescue) await",
    mode: "apply",
  },
  {
    name: "end a wait at once",
    file: "engine/wait.ts",
    from: 'if (decision.match === "same") return gathered;',
    to: "return gathered;",
    mode: "apply",
  },
  {
    name: "look at a wait in check mode",
    file: "engine/wait.ts",
    from: 'if (context.mode === "check") {',
    to: 'if (context.mode !== "check") {',
    mode: "check",
  },
  {
    name: "forget what an unknown condition leaves open",
    file: runTask,
    from: 'outputs.set(call, playHost, unknownOutput);\n      foreseeNeither(planned, outputs.lookupFor(playHost), context.host, task.title);\n      return finish({ ...quiet, outcome: "decided", decidedBy: { task: "its own',
    to: 'outputs.set(call, playHost, unknownOutput);\n      return finish({ ...quiet, outcome: "decided", decidedBy: { task: "its own',
    mode: "check",
  },
  {
    name: "call right what is rightly absent and may yet come",
    file: "engine/right-already.ts",
    from: "isProvided(fact, host) && !isThere(fact, value)",
    to: "isProvided(fact, host) && value === undefined",
    mode: "check",
  },
];

/** Each mutant is a mistake somebody could make when changing the engine. */
export const mutants: readonly Mutant[] = [...frameMutants, ...planMutants];
