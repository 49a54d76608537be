import { absent, task, unit, z } from "../../src/authoring.ts";

/** The timer that trims all file systems (util-linux, fstrim(8)). */
export const trimTimer = "fstrim.timer";

/** Finds out whether a guest has that timer. */
export const trimTimerThere = task({
  name: "trimTimerThere",
  summary: "Find out whether a guest has the timer that trims its file systems",
  params: z.strictObject({}),
  examples: [],
  title: () => `whether there is a ${trimTimer}`,
})
  .facts(() => ({ timer: unit(trimTimer) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((_p, { timer }): boolean => timer !== absent && !timer.masked)
  .notes((_p, { timer }) =>
    timer === absent ? [`no ${trimTimer}`] : timer.masked ? [`${trimTimer} is masked, so it trims nothing`] : [],
  );
