import { refuse, task, z } from "../../src/authoring.ts";

const params = z.strictObject({
  that: z
    .array(
      z.strictObject({
        check: z
          .boolean({ error: "true, false, or a task output that is true or false" })
          .describe("What must be true"),
        message: z.string().min(1, "a sentence").describe("Message to show if the condition is not true"),
        hint: z.string().min(1).optional().describe("Hint about what to do; begins with a verb"),
      }),
    )
    .min(1, "at least one check")
    .describe("Conditions that must hold, each with the message to show if it does not hold"),
});

/** Stops the run on a host if a condition in the playbook is not met. */
export const assert = task({
  name: "assert",
  summary: "Fail the task if a condition does not hold, in check mode too",
  params,
  examples: [{ that: [{ check: true, message: "the version must begin with v" }] }],
  title: ({ that }) => (that.length === 1 ? "assert" : `assert ${that.length} conditions`),
})
  .facts(() => ({}))
  .want((p) => {
    const failed = p.that.filter(({ check }) => !check);
    const [first] = failed;
    if (first === undefined) return {};
    const hints = [...new Set(failed.flatMap(({ hint }) => hint ?? []))];
    return refuse({
      code: "assertion-failed",
      message: failed.map(({ message }) => message).join("; "),
      ...(hints.length > 0 && { hint: oneSentence(hints) }),
    });
  })
  .steps(() => []);

/** Joins hints, each of which begins with a verb: `Choose a larger host; list each disk once`. */
function oneSentence(hints: readonly string[]): string {
  const [first = "", ...others] = hints;
  return [first, ...others.map((hint) => hint.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()))].join(
    "; ",
  );
}
