/** One place in the installer's source that refuses a configuration. */
export interface GoRefusal {
  readonly function: string;
  readonly line: number;
  /** The message, with Go's placeholders, or the name of its constant if another file defines it. */
  readonly says: string;
}

const made =
  /return (?:[\w]+, )?(?:errors\.New|errors\.Errorf|fmt\.Errorf|prettyError)\(\s*("(?:[^"\\]|\\.)*"|\w+)([^\n]*)/g;

/** Lists where the functions of a Go source file return an error that they create themselves. */
export function goRefusals(source: string, functions?: ReadonlySet<string>): GoRefusal[] {
  const messages = new Map(
    [...source.matchAll(/^\s*(Err\w+)\s+= (?:fmt\.Sprintf\()?"((?:[^"\\]|\\.)*)"/gm)].map(([, name, text]) => [
      name,
      text,
    ]),
  );
  return [...source.matchAll(made)].flatMap(({ 1: argument = "", 2: rest = "", index }) => {
    const before = source.slice(0, index);
    const name = [...before.matchAll(/^func (?:\([^)]*\) )?(\w+)/gm)].at(-1)?.[1] ?? "";
    if (name === "prettyError" || (functions !== undefined && !functions.has(name))) return [];
    // If the message is only a placeholder, its text is the next argument.
    const said = argument === '"%s"' ? (/^, (\w+)/.exec(rest)?.[1] ?? argument) : argument;
    const says = said.startsWith('"') ? said.slice(1, -1) : (messages.get(said) ?? said);
    return [{ function: name, line: before.split("\n").length, says }];
  });
}
