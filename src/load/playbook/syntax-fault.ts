/**
 * A parser's message about a file that may contain secrets: its first line, without the position and without text
 * quoted from the file.
 */
export function syntaxFault({ message }: Error): string {
  const [line = ""] = message.split("\n");
  return line
    .replace(/ at line \d+, column \d+:?$/, "")
    .replaceAll(/(["'`]).*\1/g, "…")
    .replace(/: .*$/, "")
    .replace(/\s+!\S+/, " !…");
}
