/** One job of a crontab, in its wanted form. */
export interface Job {
  readonly name: string;
  /** The line without its comment sign; undefined if the job must be absent and its line is not known. */
  readonly line: string | undefined;
  /** `active`; `disabled`: present, but commented out; `absent`. */
  readonly as: "active" | "disabled" | "absent";
  /** A program: lines without a marker that run it count as this job, whatever their schedule and arguments. */
  readonly replaces?: string | undefined;
}

const markerOf = (name: string): string => `# furrow: ${name}`;
const markerPattern = /^# furrow: /;

/**
 * The crontab with the job in its wanted form, once: at its marked line, else at the first line that is the same job
 * without a marker, else at the end. Other lines of the job are removed; lines of other jobs stay.
 */
export function putJob(text: string, job: Job): string {
  const block = job.as === "absent" || job.line === undefined ? [] : [markerOf(job.name), printJob(job.line, job.as)];
  const quickly = putWhole(text, job, joinLines(block));
  if (quickly !== undefined) return quickly;
  const lines = splitLines(text);
  const own = ownLines(lines, job);
  const at = own.findIndex(Boolean);
  const kept = lines.flatMap((line, index) => (index === at ? block : own[index] ? [] : [line]));
  return joinLines(at < 0 ? [...kept, ...block] : kept);
}

/**
 * A shortcut of {@link putJob} for the usual case in a crontab of hundreds of jobs: the job is already right, or is
 * missing. Undefined if the lines must be examined one by one.
 */
function putWhole(text: string, { name, line, replaces }: Job, block: string): string | undefined {
  if (text !== "" && !text.endsWith("\n")) return undefined;
  const at = block === "" ? -1 : `\n${text}`.indexOf(`\n${block}`);
  const others = at < 0 ? text : text.slice(0, at) + text.slice(at + block.length);
  const signs = [`${markerOf(name)}\n`, line === undefined ? undefined : commandOf(line), replaces];
  if (signs.some((sign) => sign !== undefined && others.includes(sign))) return undefined;
  return at < 0 ? text + block : text;
}

function printJob(line: string, as: Job["as"]): string {
  return as === "disabled" ? `#${line}` : line;
}

/** True for each line that belongs to the job: its markers, the job after each, and equal jobs without a marker. */
function ownLines(lines: readonly string[], { name, line, replaces }: Job): boolean[] {
  const wanted = line === undefined ? undefined : squeeze(line);
  const lastWord = wanted?.slice(wanted.lastIndexOf(" ") + 1) ?? "";
  const marker = markerOf(name);
  return lines.map((text, index) => {
    const before = lines[index - 1] ?? "";
    if (text === marker) return true;
    if (markerPattern.test(text)) return false;
    // Only a job line: a MAILTO= or a note that someone put between the marker and its job is not furrow's.
    if (before === marker) return isJob(text);
    // A line below another job's marker belongs to that job, whatever it runs.
    if (markerPattern.test(before)) return false;
    if (replaces !== undefined && runs(text, replaces)) return true;
    if (wanted === undefined) return false;
    // Fast path for crontabs of hundreds of jobs: most lines differ in a word, so they need no parsing.
    return text.includes(lastWord) && squeeze(text.replace(/^#\s*/, "")) === wanted;
  });
}

const aJob = /^#?\s*(?:@\w+|[\d*~]\S*\s+(?:\S+\s+){3}\S+)\s+\S/;

/** True if a line is a job, commented out or not. */
function isJob(text: string): boolean {
  return aJob.test(text);
}

/** True if a line is a job, commented out or not, whose command contains the program as a word. */
function runs(text: string, program: string): boolean {
  const line = text.replace(/^#\s*/, "").trim();
  const command = /^(?:@\w+|[\d*]\S*\s+(?:\S+\s+){3}\S+)\s+(.*)$/.exec(line)?.[1] ?? "";
  return command.split(/\s+/).includes(program);
}

const timesAndCommand = /^(@\w+|(?:\S+\s+){4}\S+)\s+(.*)$/;

/** A crontab line with one blank between its time fields; the command is left as it is. */
function squeeze(line: string): string {
  const parts = timesAndCommand.exec(line.trim());
  return parts === null ? line : `${(parts[1] ?? "").replaceAll(/\s+/g, " ")} ${parts[2] ?? ""}`;
}

/** A text that every line which {@link squeeze} maps to this one must contain. */
function commandOf(line: string): string {
  return timesAndCommand.exec(line.trim())?.[2] ?? line;
}

const assignment = /^\s*(["']?)([A-Za-z_]\w*)\1\s*=/;

/**
 * The crontab with one environment line (crontab(5)) of this name and value, at the first line with that name, else
 * above everything but the comments and variables at the top. If the value is undefined, without any such line.
 */
export function putVariable(text: string, name: string, value: string | undefined): string {
  const lines = splitLines(text);
  const line = `${name}=${printValue(value ?? "")}`;
  const own = lines.map((text) => assignment.exec(text)?.[2] === name);
  const at = own.findIndex(Boolean);
  const rest = (first: readonly string[]): string[] =>
    lines.flatMap((text, index) => (index === at ? first : own[index] ? [] : [text]));
  if (value === undefined) return joinLines(rest([]));
  if (at >= 0) return joinLines(rest([line]));
  const isTop = (text: string): boolean => assignment.test(text) || (/^\s*#/.test(text) && !markerPattern.test(text));
  const job = lines.findIndex((text) => !isTop(text));
  const top = job < 0 ? lines.length : job;
  return joinLines([...lines.slice(0, top), line, ...lines.slice(top)]);
}

/** Quotes keep blanks at the ends, which cron strips otherwise; some crons require quotes around an empty value. */
function printValue(value: string): string {
  return value === "" || value !== value.trim() || /^["']/.test(value) ? `"${value}"` : value;
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
