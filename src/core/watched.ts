import { z } from "zod";
import type { TaskCall } from "./call.ts";
import type { Fact } from "./fact.ts";
import { listFacts } from "./fact.ts";
import { parseParams } from "./params.ts";
import { FurrowError } from "./errors.ts";

/** A param that names other tasks of the playbook: `restartOn: [conf]`. */
export const watched = (): z.ZodType<readonly TaskCall[], readonly TaskCall[]> =>
  z.array(
    z.custom<TaskCall>(
      (value) => typeof value === "object" && value !== null && "node" in value && value.node === "task",
      {
        error: "a task of this playbook, kept in a variable: const conf = file({ … })",
      },
    ),
  );

/** The facts of the watched tasks: those of their first stage, which name the things they set. */
export function watchedFacts(calls: readonly TaskCall[]): Fact[] {
  return calls.flatMap((call) => {
    const parsed = parseParams(call.module.card.params, call.input, () => undefined, { task: call.module.card.name });
    if (!("params" in parsed)) {
      throw new FurrowError("E_PARAMS", {
        what: `a watched ${call.module.card.name} task has params that are only known after another task has run`,
        hint: "Watch a task whose params are known when the playbook is read",
      });
    }
    const [stage] = call.module.stages;
    return stage === undefined ? [] : listFacts(stage(parsed.params as never, {} as never)).map(({ fact }) => fact);
  });
}
