/**
 * What a parser says is wrong with a file that may hold secrets: the first line of its message, without its place and
 * without what it quotes of the file.
 */
export function syntaxFault({ message }: Error): string {
  const [line = ""] = message.split("\n");
  return line
    .replace(/ at line \d+, column \d+:?$/, "")
    .replaceAll(/(["'`]).*\1/g, "…")
    .replace(/: .*$/, "")
    .replace(/\s+!\S+/, " !…");
}
