/** One field of a crontab(5) schedule. */
interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The number of different values: 0 and 7 are the same day of the week. */
  readonly size: number;
  /** Names that stand for consecutive numbers, starting with `from`. */
  readonly names: readonly string[];
  readonly example: string;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fields: readonly Field[] = [
  { name: "minute", from: 0, to: 59, size: 60, names: [], example: '"30" or "*/15"' },
  { name: "hour", from: 0, to: 23, size: 24, names: [], example: '"4" or "8-18"' },
  { name: "day of the month", from: 1, to: 31, size: 31, names: [], example: '"1" or "1,15"' },
  { name: "month", from: 1, to: 12, size: 12, names: months, example: '"1" or "jan-mar"' },
  { name: "day of the week", from: 0, to: 7, size: 7, names: days, example: '"0" or "mon-fri"' },
];

/**
 * Says which of a schedule's five fields is wrong and why, and gives an example. Undefined if each field is a list of
 * `*`, numbers, names and ranges with an optional step, as crontab(5) allows.
 */
export function wrongField(schedule: string): string | undefined {
  const given = schedule.split(" ");
  for (const [at, field] of fields.entries()) {
    const text = given[at] ?? "";
    const wrong = text
      .split(",")
      .map((part) => wrongPart(part, field))
      .find((found) => found !== undefined);
    if (wrong !== undefined)
      return `the ${field.name} "${text}" is wrong: ${wrong}; write, for example, ${field.example}`;
  }
  return undefined;
}

/** The minutes of the hour in which a job with a valid schedule of five fields may run. */
export function minutesOf(schedule: string): ReadonlySet<number> {
  const [minute] = fields as readonly [Field];
  const [text = ""] = schedule.split(" ");
  return new Set(
    text.split(",").flatMap((part) => {
      const [range = "", step = "1"] = part.split("/");
      const numbers = range === "*" ? [minute.from, minute.to] : range.split("-").map((end) => numberOf(end, minute));
      const [first = 0, last = first] = numbers;
      const all = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      return all.filter((_, at) => at % Number(step) === 0);
    }),
  );
}

function wrongPart(part: string, field: Field): string | undefined {
  if (part === "") return "a comma has no value on one side";
  const [range = "", step, ...more] = part.split("/");
  if (more.length > 0) return `"${part}" has two steps`;
  if (step !== undefined) {
    if (!/^\d+$/.test(step) || Number(step) < 1 || Number(step) > field.size)
      return `the step "${step}" is not a number from 1 to ${field.size}`;
    if (range !== "*" && !range.includes("-")) return `a step follows * or a range, not "${range}"`;
  }
  if (range === "*") return undefined;
  const ends = range.split("-");
  if (ends.length > 2) return `"${range}" is not a range`;
  const numbers = ends.map((end) => numberOf(end, field));
  const bad = ends.find((_, at) => numbers[at] === undefined);
  if (bad !== undefined) return bad === "" ? `"${range}" is not a range` : outside(bad, field);
  const [first = 0, last = first] = numbers;
  return first > last ? `the range "${range}" ends before it begins` : undefined;
}

function numberOf(text: string, { from, to, names }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return from + named;
  const number = Number(text);
  return /^\d+$/.test(text) && number >= from && number <= to ? number : undefined;
}

function outside(text: string, { from, to, names }: Field): string {
  const name = names.length === 0 ? "" : `, or a name from ${names[0]} to ${names.at(-1)}`;
  return `"${text}" is not a number from ${from} to ${to}${name}`;
}
