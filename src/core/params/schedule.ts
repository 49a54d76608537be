import { createRequire } from "node:module";
import type { Cron } from "croner";
import { z } from "zod";
import { wrongField } from "./schedule-fields.ts";

const macros = ["@reboot", "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
const expected = `five fields, like "*/5 * * * *" (minute, hour, day of month, month, day of week), or one of ${macros.join(", ")}`;

/** The schedule of a job, in the crontab(5) syntax that every cron accepts. */
export const schedule = (): z.ZodType<string, string> =>
  z.string({ error: expected }).superRefine((text, context) => {
    const problem = problemOf(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

let loaded: typeof Cron | undefined;

/**
 * Loaded on demand, because few schedules need it. A schema cannot await an import, so this uses `require`.
 */
function library(): typeof Cron {
  loaded ??= (createRequire(import.meta.url)("croner") as { Cron: typeof Cron }).Cron;
  return loaded;
}

const judged = new Map<string, string | undefined>();

/** Cached: every host in a play has the same schedules, and computing the next time of a schedule is slow. */
function problemOf(text: string): string | undefined {
  if (!judged.has(text)) judged.set(text, judge(text));
  return judged.get(text);
}

function judge(text: string): string | undefined {
  if (text.startsWith("@")) return macros.includes(text) ? undefined : expected;
  if (text !== text.trim() || /[\t\n]/.test(text) || text.split(" ").length !== 5) return expected;
  // croner accepts more than cron does: L, W, # and ? are not in crontab(5).
  const words = text
    .toLowerCase()
    .replaceAll(/\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)\b/g, "");
  if (!/^[\d*,/ -]+$/.test(words)) return `${expected}; fields contain numbers, names of months and days, and * , - /`;
  const wrong = wrongField(text);
  if (wrong !== undefined) return `${expected}; ${wrong}`;
  // A schedule that never comes due, such as 30 February, must name both a day of the month and a month.
  const [, , day, month] = text.split(" ");
  if (day === "*" || month === "*") return undefined;
  try {
    const Expression = library();
    const jobs = new Expression(text, { paused: true, mode: "5-part" });
    return jobs.nextRun() === null ? "a date that exists in at least one year" : undefined;
  } catch {
    return expected;
  }
}
