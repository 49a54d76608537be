/** One line of an fstab (fstab(5)). The two numbers at the end of the line may be omitted if they are 0. */
export interface FstabEntry {
  /** `UUID=…`, a device, `server:/export`. */
  readonly source: string;
  readonly path: string;
  readonly fileSystem: string;
  /** Comma-separated. */
  readonly options: string;
  /**
   * The order of the file system check at boot: 0 for no check, 1 for the root file system, 2 for other file systems.
   */
  readonly check: 0 | 1 | 2;
}

/** The entries in an fstab that mount a file system at `path`, in file order. */
export function fstabEntries(text: string, path: string): FstabEntry[] {
  return text.split("\n").flatMap((line) => {
    const entry = parseLine(line);
    return entry !== undefined && entry.path === path ? [entry] : [];
  });
}

/**
 * Changes the text of an fstab so that it has exactly one line for `path`, the line for `entry`, or no line if `entry`
 * is undefined. An existing line with the same meaning is kept as written. Other lines for that path are replaced, and
 * the rest stays unchanged.
 */
export function fstabWith(text: string, path: string, entry: FstabEntry | undefined): string {
  const lines = text.split("\n");
  const mine = lines.flatMap((line, index) => (parseLine(line)?.path === path ? [index] : []));
  const right = mine.find((index) => entry !== undefined && same(parseLine(lines[index] ?? ""), entry)) ?? mine[0];
  const kept = lines.flatMap((line, index) => {
    if (!mine.includes(index)) return [line];
    if (entry === undefined || index !== right) return [];
    return [same(parseLine(line), entry) ? line : printLine(entry)];
  });
  if (entry === undefined || mine.length > 0) return kept.join("\n");
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${printLine(entry)}\n`;
}

/** A word in the syntax of fstab and mountinfo, with spaces and backslashes as octal escapes. */
export function fstabField(word: string): string {
  return word.replaceAll(/[ \t\n\\]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8)}`.replace("\\0134", "\\134"));
}

function unescape(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function parseLine(line: string): FstabEntry | undefined {
  const [source, path, fileSystem, options = "defaults", , check = "0"] = line.trim().split(/[ \t]+/);
  if (source === undefined || path === undefined || fileSystem === undefined || source.startsWith("#"))
    return undefined;
  return {
    source: unescape(source).replace(/^([A-Z]+)="(.*)"$/, "$1=$2"),
    path: withoutSlash(unescape(path)),
    fileSystem,
    options,
    check: Number(check) as FstabEntry["check"],
  };
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") || "/" : path;
}

function same(a: FstabEntry | undefined, b: FstabEntry): boolean {
  return a !== undefined && (Object.keys(b) as (keyof FstabEntry)[]).every((key) => a[key] === b[key]);
}

function printLine({ source, path, fileSystem, options, check }: FstabEntry): string {
  return `${fstabField(source)} ${fstabField(path)} ${fileSystem} ${fstabField(options)} 0 ${check}`;
}
