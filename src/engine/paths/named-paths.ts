import type { Question } from "../../core/facts/fact.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { parentOf } from "../../core/facts/parent.ts";

/**
 * A path in the key of a fact. `follow`: the fact is about the thing that the path resolves to, even if its last part
 * is a link.
 */
export interface NamedPath {
  readonly path: string;
  readonly follow: boolean;
}

/** Paths in keys, by fact id, cached so that a kind is asked only once. */
const named = new Map<string, readonly NamedPath[]>();

/** The paths in the key of a fact, as its kind names them. */
export function pathsOf({ kind, key }: Question): readonly NamedPath[] {
  const { renamed } = kindOf(kind);
  if (renamed === undefined) return [];
  const id = `${kind}:${key}`;
  const known = named.get(id);
  if (known) return known;
  const paths: NamedPath[] = [];
  renamed(key, (path, follow = false) => {
    paths.push({ path, follow });
    return path;
  });
  named.set(id, paths);
  return paths;
}

/** True if a question's key ends with a slash, which asks for the target of a link. */
export function namesTarget({ key }: Question): boolean {
  return key.startsWith("/") && key.length > 1 && key.endsWith("/");
}

/** For each path in the key of a fact, the last directory that the path goes through. */
export function directoriesOf(question: Question): readonly string[] {
  return pathsOf(question).map(({ path, follow }) => (follow ? path : parentOf(path)));
}
