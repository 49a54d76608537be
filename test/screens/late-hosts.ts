/** A line with a result that several hosts share, or with one host's result that was already shown for another host. */
const shared = /^(?:(?<count>\d+) hosts|web\d+) +(?<result>\S.*?) {2}\(same (?:diff|error)(?: as web\d+)?(?:[;)].*)?$/;

interface Line {
  readonly count: number;
  readonly result: string;
}

/** The lines of a screen, after joining lines that are wrapped inside parentheses. */
function unwrapped(text: string): string[] {
  return text
    .replaceAll(/^((?:\d+ hosts|web\d+) [^\n(]*\n?[^\n(]*\(same [^)]*\))$/gm, (line) =>
      line.replaceAll(/\s*\n\s+/g, " ").replace(/ +\(same/, "  (same"),
    )
    .split("\n");
}

function sharedLine(line: string): Line | undefined {
  const groups = shared.exec(line)?.groups;
  return groups && { count: Number(groups["count"] ?? 1), result: (groups["result"] ?? "").replaceAll(/ {2,}/g, " ") };
}

/**
 * The results that a screen of a fleet shows on more than one shared line, because some hosts were seconds later than
 * the others. This happens on a busy machine.
 */
export function lateResults(text: string): string[] {
  const results = unwrapped(text).flatMap((line) => sharedLine(line)?.result ?? []);
  return [...new Set(results.filter((result, at) => results.indexOf(result) !== at))];
}

/**
 * The screen with only one line for each of these results: the line has the total count and names no hosts. The diff
 * below the first line is kept.
 */
export function joinLate(text: string, results: readonly string[]): string {
  const lines = unwrapped(text);
  const sums = new Map<string, number>();
  for (const line of lines) {
    const found = sharedLine(line);
    if (found) sums.set(found.result, (sums.get(found.result) ?? 0) + found.count);
  }
  const told = new Set<string>();
  return lines
    .flatMap((line) => {
      const result = sharedLine(line)?.result;
      if (result === undefined || !results.includes(result)) return [line];
      if (told.has(result)) return [];
      told.add(result);
      return [`${sums.get(result)} hosts  ${result}`];
    })
    .join("\n");
}
