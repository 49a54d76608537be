/**
 * Where the distributions' builds of chronyd look for its configuration. Debian and Ubuntu build chronyd with the
 * directory /etc/chrony (debian/rules of the package); SUSE and Red Hat keep chronyd's own default (chrony.conf(5)).
 */
export const configPaths = ["/etc/chrony/chrony.conf", "/etc/chrony.conf"] as const;

/** The directives that the task manages; all others stay as they are (chrony.conf(5)). */
const kept: ReadonlySet<string> = new Set(["server", "pool", "peer", "allow", "makestep"]);

/** The first word of a line, in lower case; undefined for comments and empty lines. */
function directiveOf(line: string): string | undefined {
  // These four characters begin a comment.
  return /^\s*([^\s!#;%]\S*)/.exec(line)?.[1]?.toLowerCase();
}

/**
 * Returns the configuration with these lines at its end; all other lines with directives that the task manages are
 * removed.
 */
export function withLines(text: string, lines: readonly string[]): string {
  const others = text.split("\n").filter((line) => !kept.has(directiveOf(line) ?? ""));
  while (others.at(-1)?.trim() === "") others.pop();
  return [...others, ...lines, ""].join("\n");
}

/** The lines that make chronyd read other files, which may define more sources. */
export function includesIn(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => ["include", "confdir", "sourcedir"].includes(directiveOf(line) ?? ""))
    .map((line) => line.trim());
}
