/** One job of a crontab, as it must stand there. */
export interface Job {
  readonly name: string;
  /** The line without its comment sign; undefined where the job must not be there and its line is not known. */
  readonly line: string | undefined;
  /** `active`; `disabled`: there, but commented out; `absent`. */
  readonly as: "active" | "disabled" | "absent";
  /** A program: unmarked lines that run it are this job, written without furrow, whenever and however they run it. */
  readonly replaces?: string | undefined;
}

const markerOf = (name: string): string => `# furrow: ${name}`;
const markerPattern = /^# furrow: /;

/**
 * The crontab with the job in it as it must be, once: at the place of its marked line, else of the first line that is
 * the same job without a marker, else at the end. All other lines of the job go; all other lines of the crontab stay.
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
 * The same for what a crontab of hundreds of jobs mostly is: one in which the job stands as it must, or not at all.
 * Undefined where lines must be looked at one by one.
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

/** True for each line that belongs to the job: its markers, what follows them, and unmarked lines that are the job. */
function ownLines(lines: readonly string[], { name, line, replaces }: Job): boolean[] {
  const wanted = line === undefined ? undefined : squeeze(line);
  const lastWord = wanted?.slice(wanted.lastIndexOf(" ") + 1) ?? "";
  const marker = markerOf(name);
  return lines.map((text, index) => {
    const before = lines[index - 1] ?? "";
    if (text === marker) return true;
    if (markerPattern.test(text)) return false;
    // Only a job: what somebody put between the marker and its job (a MAILTO=, a note) is not furrow's.
    if (before === marker) return isJob(text);
    // What stands below another job's marker is that job, whatever it runs.
    if (markerPattern.test(before)) return false;
    if (replaces !== undefined && runs(text, replaces)) return true;
    if (wanted === undefined) return false;
    // Crontabs of hundreds of jobs: most lines are told apart without taking them to pieces.
    return text.includes(lastWord) && squeeze(text.replace(/^#\s*/, "")) === wanted;
  });
}

const aJob = /^#?\s*(?:@\w+|[\d*~]\S*\s+(?:\S+\s+){3}\S+)\s+\S/;

/** True for a line that is a job, commented out or not. */
function isJob(text: string): boolean {
  return aJob.test(text);
}

/** True for a line of a job, commented out or not, that has the program as a word of its command. */
function runs(text: string, program: string): boolean {
  const line = text.replace(/^#\s*/, "").trim();
  const command = /^(?:@\w+|[\d*]\S*\s+(?:\S+\s+){3}\S+)\s+(.*)$/.exec(line)?.[1] ?? "";
  return command.split(/\s+/).includes(program);
}

const timesAndCommand = /^(@\w+|(?:\S+\s+){4}\S+)\s+(.*)$/;

/** A crontab line with one blank between its time fields; what follows them is the job's own business. */
function squeeze(line: string): string {
  const parts = timesAndCommand.exec(line.trim());
  return parts === null ? line : `${(parts[1] ?? "").replaceAll(/\s+/g, " ")} ${parts[2] ?? ""}`;
}

/** What stands in every line that {@link squeeze} makes the same as this one. */
function commandOf(line: string): string {
  return timesAndCommand.exec(line.trim())?.[2] ?? line;
}

const assignment = /^\s*(["']?)([A-Za-z_]\w*)\1\s*=/;

/**
 * The crontab with an environment line (crontab(5)) of this name and value, once, where the first of that name stands,
 * else above everything but comments and variables at the top. Undefined for the value: without any such line.
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

/** Quotes keep blanks at the ends, which cron takes away otherwise; an empty value must be quoted for some crons. */
function printValue(value: string): string {
  return value === "" || value !== value.trim() || /^["']/.test(value) ? `"${value}"` : value;
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
