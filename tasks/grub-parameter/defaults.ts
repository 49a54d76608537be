/**
 * The variables of /etc/default/grub that contain kernel parameters: for all entries, and for all but the recovery
 * ones.
 */
export type Variable = "GRUB_CMDLINE_LINUX" | "GRUB_CMDLINE_LINUX_DEFAULT";

/** A line of a shell file that cannot be edited safely, and the reason. */
export interface OddLine {
  /** Counted from 1. */
  readonly number: number;
  readonly line: string;
  readonly why: string;
}

/** Where a variable is set. */
interface Assignment {
  readonly index: number;
  readonly before: string;
  readonly words: readonly string[];
  readonly after: string;
}

const assignment = /^(\s*(?:export\s+)?)([A-Za-z_]\w*)(\+?=)(.*)$/;

/** The words of a parameter as the kernel reads them: in names, `-` and `_` are equivalent (kernel-parameters). */
export function isParameter(word: string, name: string): boolean {
  const plain = (text: string): string => text.replaceAll("-", "_");
  return plain(word.split("=")[0] ?? "") === plain(name);
}

/**
 * The new text of /etc/default/grub, with exactly these words for a parameter in one variable and none in the other; or
 * the line that makes this edit unsafe. The file is a shell script that grub-mkconfig reads, so it may contain
 * anything. Only assignments on one line are accepted, and assignments to these two variables must also use plain
 * quotes. Comments and all other words stay as they are. The new words take the place of the parameter's first old
 * word, or are added at the end.
 */
export function withWords(text: string, name: string, words: readonly string[], variable: Variable): string | OddLine {
  const lines = text.split("\n");
  const odd = oddLine(lines);
  if (odd) return odd;
  for (const one of ["GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT"] as const) {
    const found = find(lines, one);
    if (found !== undefined && "why" in found) return found;
    const wanted = one === variable ? words : [];
    if (found === undefined) {
      if (wanted.length > 0) append(lines, `${one}="${wanted.join(" ")}"`);
      continue;
    }
    const changed = placed(found.words, name, wanted);
    if (changed.join(" ") !== found.words.join(" "))
      lines[found.index] = `${found.before}"${changed.join(" ")}"${found.after}`;
  }
  return lines.join("\n");
}

function append(lines: string[], line: string): void {
  if (lines.at(-1) === "") lines.splice(-1, 0, line);
  else lines.push(line, "");
}

function placed(old: readonly string[], name: string, wanted: readonly string[]): readonly string[] {
  const first = old.findIndex((word) => isParameter(word, name));
  const before = first < 0 ? old : old.slice(0, first);
  const after = first < 0 ? [] : old.slice(first).filter((word) => !isParameter(word, name));
  return [...before, ...wanted, ...after];
}

/** The first line that is not empty, not a comment, and not an assignment that ends on the same line. */
function oddLine(lines: readonly string[]): OddLine | undefined {
  for (const [index, whole] of lines.entries()) {
    if (/^\s*(#|$)/.test(whole)) continue;
    const odd = (why: string): OddLine => ({ number: index + 1, line: whole.trim(), why });
    const line = whole.replace(/^((?:[^"'#]|"[^"]*"|'[^']*')*\s)#.*$/, "$1");
    const isOpen = (quote: string): boolean => line.split(quote).length % 2 === 0;
    if (!assignment.test(line)) return odd("it is not an assignment, so its effect is unknown");
    if (line.endsWith("\\") || ['"', "'", "`"].some(isOpen)) return odd("it may continue on the next line");
    if (/.\bGRUB_CMDLINE_LINUX(_DEFAULT)?\+?=/.test(line.trim().replace(/^export\s+/, "")))
      return odd("it may set GRUB_CMDLINE_LINUX in addition to another variable");
  }
  return undefined;
}

/** Where a variable is set; undefined if nowhere. */
function find(lines: readonly string[], variable: Variable): Assignment | OddLine | undefined {
  const all = lines.flatMap((line, index) => (assignment.exec(line)?.[2] === variable ? [index] : []));
  const [index] = all;
  if (index === undefined) return undefined;
  const line = lines[all.at(-1) ?? index] ?? "";
  const odd = (why: string): OddLine => ({ number: (all.at(-1) ?? index) + 1, line: line.trim(), why });
  if (all.length > 1) return odd(`${variable} is set ${all.length} times`);
  const [, indent = "", , operator = "", rest = ""] = assignment.exec(line) ?? [];
  if (operator === "+=") return odd(`it adds to ${variable}`);
  const value = /^(?:"([^"$`\\]*)"|'([^']*)'|([^\s"'$`\\#;&|<>()]*))(\s*(?:#.*)?)$/.exec(rest);
  if (value === null) return odd("its value is not plain text in quotes");
  const [, double, single, bare, after = ""] = value;
  const content = double ?? single ?? bare ?? "";
  if (/["$`\\]/.test(content)) return odd("its value contains quotes or characters that the shell or GRUB interprets");
  return { index, before: `${indent}${variable}=`, words: content.split(/\s+/).filter(Boolean), after };
}
