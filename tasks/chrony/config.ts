/**
 * Where distributions keep chronyd's configuration, and thus where their chronyd looks: Debian and Ubuntu configure it with
 * /etc/chrony (debian/rules of the package); SUSE and Red Hat keep chronyd's own default (chrony.conf(5)).
 */
export const configPaths = ["/etc/chrony/chrony.conf", "/etc/chrony.conf"] as const;

/** The directives that the task manages; all others stay as they are (chrony.conf(5)). */
const kept: ReadonlySet<string> = new Set(["server", "pool", "peer", "allow", "makestep"]);

/** The word with which a line begins, in lower case; undefined for comments and empty lines. */
function directiveOf(line: string): string | undefined {
  // These four characters begin a comment.
  return /^\s*([^\s!#;%]\S*)/.exec(line)?.[1]?.toLowerCase();
}

/**
 * The text of a configuration in which exactly these lines contain the directives that the task manages. They are at
 * the end.
 */
export function withLines(text: string, lines: readonly string[]): string {
  const others = text.split("\n").filter((line) => !kept.has(directiveOf(line) ?? ""));
  while (others.at(-1)?.trim() === "") others.pop();
  return [...others, ...lines, ""].join("\n");
}

/** The lines that make chronyd read further files, which may define further sources. */
export function includesIn(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => ["include", "confdir", "sourcedir"].includes(directiveOf(line) ?? ""))
    .map((line) => line.trim());
}
