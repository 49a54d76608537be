import { exactly } from "../../core/facts/fact.ts";

/** The params in which a task's author declares what else the task may create. */
const declaring = ["provides", "mayProvide"];

/** Check mode: the earlier tasks whose author may declare what they create. */
export class Providers {
  readonly #seen: { readonly by: string; readonly param: string }[] = [];

  /** Records a task that would act, with the names of its params. */
  note(by: string, params: readonly string[]): void {
    const param = declaring.find((name) => params.includes(name));
    if (param !== undefined) this.#seen.push({ by, param });
  }

  /**
   * The hint for a refusal because of a missing fact. The hint names the earlier task that may create the missing
   * thing: the last task that installs something, otherwise the last task that may create anything.
   */
  hint(own: string | undefined, missing: string | undefined): string | undefined {
    const task = this.#seen.findLast(({ param }) => param === "provides") ?? this.#seen.at(-1);
    if (own === undefined || missing === undefined || task === undefined) return own;
    return `${own}; or, if ${task.by} creates it, add ${task.param}: [${JSON.stringify(exactly(missing))}] to that task`;
  }
}
