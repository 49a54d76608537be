/** The variable of GRUB's environment that Harvester's bootargs.cfg appends to every kernel's command line. */
export const variable = "third_party_kernel_args";

/** True if bootargs.cfg of the node's system reads that variable. */
export function readsVariable(bootargs: string): boolean {
  return bootargs.split("\n").some((line) => !/^\s*#/.test(line) && /\$\{?third_party_kernel_args\b/.test(line));
}

/** Returns these words with each wanted word exactly once; the other words keep their order. */
function withWords(words: readonly string[], wanted: readonly string[]): string[] {
  const kept = words.filter((word, at) => !wanted.includes(word) || words.indexOf(word) === at);
  return [...kept, ...wanted.filter((word) => !kept.includes(word))];
}

/**
 * The text of a grub.cfg in which every line that starts a kernel has each wanted word once. Lines that already have
 * these words, and lines that do not start a kernel, stay unchanged.
 */
export function withWordsInEntries(text: string, wanted: readonly string[]): string {
  return text
    .split("\n")
    .map((line) => {
      const [, before = "", rest] = /^(\s*linux(?:16|efi)?\s+)(\S.*)$/.exec(line) ?? [];
      if (rest === undefined) return line;
      const words = rest.split(/\s+/).filter(Boolean);
      const changed = withWords(words, wanted);
      return changed.join(" ") === words.join(" ") ? line : `${before}${changed.join(" ")}`;
    })
    .join("\n");
}

/** The number of lines of a grub.cfg that start a kernel. */
export function entriesIn(text: string): number {
  return text.split("\n").filter((line) => /^\s*linux(?:16|efi)?\s+\S/.test(line)).length;
}

/** The size of a new environment block, in bytes (DEFAULT_ENVBLK_SIZE in GRUB's include/grub/lib/envblk.h). */
const usualSize = 1024;
const header = "# GRUB Environment Block\n";

/**
 * The text of GRUB's environment in which the variable has each wanted word once, or why it cannot be written. The
 * block keeps its size and is filled with `#`, as grub-editenv does; undefined stands for a block that does not exist
 * yet.
 */
export function withWordsInEnvironment(
  text: string | undefined,
  wanted: readonly string[],
): { readonly text: string } | { readonly problem: string } {
  const old = text ?? header.padEnd(usualSize, "#");
  const body = old.replace(/#+$/, "");
  if (!old.startsWith(header) || !body.endsWith("\n")) return { problem: "it is not a GRUB environment block" };
  const lines = body.split("\n").slice(0, -1);
  const own = lines.flatMap((line, at) => (line.startsWith(`${variable}=`) ? [at] : []));
  if (own.length > 1) return { problem: `it has ${variable} ${own.length} times` };
  const value = lines[own[0] ?? -1]?.slice(variable.length + 1) ?? "";
  if (/[\\"']/.test(value)) return { problem: `its ${variable} has quotes or backslashes` };
  const words = value.split(/\s+/).filter(Boolean);
  const changed = withWords(words, wanted);
  if (changed.join(" ") === words.join(" ") && text !== undefined) return { text };
  const line = `${variable}=${changed.join(" ")}`;
  const all = own[0] === undefined ? [...lines, line] : lines.with(own[0], line);
  const size = bytes(old);
  const content = all.map((one) => `${one}\n`).join("");
  if (bytes(content) > size) return { problem: `it has only ${size} bytes, too few for these words` };
  return { text: content + "#".repeat(size - bytes(content)) };
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
