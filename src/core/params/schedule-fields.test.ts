import { expect, test } from "vitest";
import { schedule } from "./schedule.ts";
import { minutesOf } from "./schedule-fields.ts";

test.each([
  ["60 * * * *", 'the minute "60" is wrong: "60" is not a number from 0 to 59; write, for example, "30" or "*/15"'],
  ["* 24 * * *", 'the hour "24" is wrong: "24" is not a number from 0 to 23; write, for example, "4" or "8-18"'],
  ["* * 0 * *", 'the day of the month "0" is wrong: "0" is not a number from 1 to 31'],
  ["* * * 13 *", '"13" is not a number from 1 to 12, or a name from jan to dec'],
  ["* * * * 8", '"8" is not a number from 0 to 7, or a name from sun to sat; write, for example, "0" or "mon-fri"'],
  ["* * * * fri-mon", 'the range "fri-mon" ends before it begins'],
  ["5-1 * * * *", 'the range "5-1" ends before it begins'],
  ["*/0 * * * *", 'the step "0" is not a number from 1 to 60'],
  ["*/70 * * * *", 'the step "70" is not a number from 1 to 60'],
  ["1/2 * * * *", 'a step follows * or a range, not "1"'],
  ["1,,2 * * * *", "a comma has no value on one side"],
  ["1- * * * *", '"1-" is not a range'],
  ["mon * * * *", '"mon" is not a number from 0 to 59'],
])("an error about the schedule %s names the field, what is wrong and an example", (text, said) => {
  const [issue] = schedule().safeParse(text).error?.issues ?? [];
  expect(issue?.message).toContain(said);
  expect(issue?.message).not.toMatch(/CronPattern|configuration entry|Syntax error|Invalid value/);
});

test.each(["0 4 1,15 * mon-fri", "1-5/2 * * jan-mar *", "* * * * 0-7", "*/5,3 0-23/2 1 1 sun"])(
  "accepts %s",
  (text) => {
    expect(schedule().safeParse(text).success).toBe(true);
  },
);

test.each([
  ["30 2 * * *", [30]],
  ["* * * * *", Array.from({ length: 60 }, (_, minute) => minute)],
  ["*/20 * * * *", [0, 20, 40]],
  ["5,10-14/2,50 * * * *", [5, 10, 12, 14, 50]],
])("%s runs at these minutes: %j", (text, minutes) => {
  expect([...minutesOf(text)]).toEqual(minutes);
});
