/** The desired state of a job in a crontab. */
export interface Job {
  readonly name: string;
  /**
   * The job's line, without a leading comment character (`#`); undefined if the job must be absent and the line is not
   * known.
   */
  readonly line: string | undefined;
  /** Whether the job is active, disabled (present, but commented out) or absent. */
  readonly as: "active" | "disabled" | "absent";
  /**
   * A program: a line without a marker that runs this program is treated as this job, regardless of its schedule and
   * arguments.
   */
  readonly replaces?: string | undefined;
}

const markerOf = (name: string): string => `# furrow: ${name}`;
const markerPattern = /^# furrow: /;

/**
 * Edits the crontab so that it contains the job exactly once, in the wanted form. The job goes where its marked line
 * is, or else where the first unmarked line with the same job is, or else at the end. Other lines of the job are
 * removed; lines of other jobs are kept.
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
 * A shortcut for {@link putJob}, for crontabs with hundreds of jobs. It covers the usual cases: the job is already
 * correct, or is missing. Undefined if the lines must be examined one by one.
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

/**
 * Returns true for each line that belongs to the job: its markers, the job line after each marker, and identical jobs
 * without a marker.
 */
function ownLines(lines: readonly string[], { name, line, replaces }: Job): boolean[] {
  const wanted = line === undefined ? undefined : squeeze(line);
  const lastWord = wanted?.slice(wanted.lastIndexOf(" ") + 1) ?? "";
  const marker = markerOf(name);
  return lines.map((text, index) => {
    const before = lines[index - 1] ?? "";
    if (text === marker) return true;
    if (markerPattern.test(text)) return false;
    // Only a job line belongs to the marker: a MAILTO= line or a note that a user put between the marker and its job is
    // not furrow's.
    if (before === marker) return isJob(text);
    // A line below another job's marker belongs to that job, regardless of what the line runs.
    if (markerPattern.test(before)) return false;
    if (replaces !== undefined && runs(text, replaces)) return true;
    if (wanted === undefined) return false;
    // A fast path for crontabs with hundreds of jobs: most lines do not contain the last word of the wanted line, so
    // they are not parsed.
    return text.includes(lastWord) && squeeze(text.replace(/^#\s*/, "")) === wanted;
  });
}

const aJob = /^#?\s*(?:@\w+|[\d*~]\S*\s+(?:\S+\s+){3}\S+)\s+\S/;

/** True if a line is a job, whether or not it is commented out. */
function isJob(text: string): boolean {
  return aJob.test(text);
}

/** True if a line is a job, active or commented out, whose command contains the program as a word. */
function runs(text: string, program: string): boolean {
  const line = text.replace(/^#\s*/, "").trim();
  const command = /^(?:@\w+|[\d*]\S*\s+(?:\S+\s+){3}\S+)\s+(.*)$/.exec(line)?.[1] ?? "";
  return command.split(/\s+/).includes(program);
}

const timesAndCommand = /^(@\w+|(?:\S+\s+){4}\S+)\s+(.*)$/;

/** Reduces the whitespace between a crontab line's time fields to one space each, and leaves the command as it is. */
function squeeze(line: string): string {
  const parts = timesAndCommand.exec(line.trim());
  return parts === null ? line : `${(parts[1] ?? "").replaceAll(/\s+/g, " ")} ${parts[2] ?? ""}`;
}

/** Returns the command of a line, which {@link squeeze} leaves as it is. */
function commandOf(line: string): string {
  return timesAndCommand.exec(line.trim())?.[2] ?? line;
}

const assignment = /^\s*(["']?)([A-Za-z_]\w*)\1\s*=/;

/**
 * Edits the crontab so that it contains exactly one environment line (crontab(5)) with this name and value: at the
 * first line with that name, otherwise below the comments and variables at the top. If the value is undefined, removes
 * every such line.
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

/**
 * Quotes a value if necessary: without quotes, cron strips whitespace at both ends, and some implementations of cron
 * require quotes around an empty value.
 */
function printValue(value: string): string {
  return value === "" || value !== value.trim() || /^["']/.test(value) ? `"${value}"` : value;
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
