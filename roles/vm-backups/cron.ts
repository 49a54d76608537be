import { schedule, z } from "../../src/authoring.ts";
import { minutesOf } from "../../src/facts/catalogue.ts";

const cronForm = "a cron expression with five fields, like `30 2 * * *`, or `@daily`; UTC, and at most once an hour";
const hourForm = "one minute of the hour, like `30 2 * * *`: Harvester allows one backup an hour";

const macro = /^@(hourly|daily|midnight|weekly|monthly|yearly|annually)$/;

/** The highest value of each field. */
const ends = [59, 23, 31, 12, 6] as const;

/**
 * When a schedule makes backups: a cron expression that matches some time, but is due at most once an hour, as
 * Harvester requires.
 */
export const hourlyCron = z.string({ error: cronForm }).superRefine((text, context) => {
  const message = problemOf(text);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

function problemOf(text: string): string | undefined {
  if (macro.test(text)) return undefined;
  if (!/^\S+( +\S+){4}$/.test(text)) return cronForm;
  // Kubernetes' cron also accepts `?` and a step after a number, which crontab(5) does not.
  const plain = text
    .split(/ +/)
    .map((field, at) => (field === "?" ? "*" : field.replace(/^(\d+)\//, `$1-${ends[at]}/`)))
    .join(" ");
  const issue = schedule().safeParse(plain).error?.issues[0]?.message;
  if (issue !== undefined) {
    const [, ...reasons] = issue.split("; ");
    return issue.startsWith("five fields") ? [cronForm, ...reasons].join("; ") : issue;
  }
  return minutesOf(plain).size === 1 ? undefined : hourForm;
}
