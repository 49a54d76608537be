/** One field of a Go struct that encoding/json reads. */
export interface GoField {
  /** The name that the field's tag gives it, otherwise its Go name. */
  readonly key: string;
  /** The field's Go type, without the pointer. */
  readonly type: string;
  readonly omitEmpty: boolean;
}

/** The types of a Go source file: structs with their fields, and other names for a type. */
export interface GoTypes {
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  readonly aliases: ReadonlyMap<string, string>;
}

const field = /^\s*(?:(\w+)\s+)?([*\w[\]{}.]+)\s+`([^`]*)`/;

/** Reads the type definitions of a Go source file. Throws if a struct has a line that is not understood. */
export function goTypes(source: string): GoTypes {
  const structs = new Map<string, readonly GoField[]>();
  for (const [, name = "", body = ""] of source.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
    structs.set(
      name,
      body.split("\n").flatMap((line) => fieldOf(name, line)),
    );
  }
  const aliases = [...source.matchAll(/^type (\w+) (\[\][\w.]+)$/gm)].map(([, name = "", type = ""]) => [name, type]);
  return { structs, aliases: new Map(aliases as [string, string][]) };
}

function fieldOf(struct: string, line: string): GoField[] {
  if (/^\s*(\/\/.*)?$/.test(line)) return [];
  const [, own, type, tags] = field.exec(line) ?? [];
  if (type === undefined || tags === undefined) throw new Error(`struct ${struct}: not understood: ${line.trim()}`);
  const [tag = "", ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? "").split(",");
  if (tag === "-") return [];
  return [{ key: tag || (own ?? type), type: type.replace(/^\*/, ""), omitEmpty: options.includes("omitempty") }];
}
