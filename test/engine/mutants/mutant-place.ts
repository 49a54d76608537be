import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { sentPath, sentText } from "../../../scripts/shell/sent.ts";

/**
 * An edit of the source, located by the declaration that contains it. The edit remains valid when the code moves to
 * another file or is reformatted.
 */
export interface Edit {
  readonly name: string;
  /** The name of the function, class, constant, method or shell function that contains `from`. */
  readonly in: string;
  /** Source text; differences in whitespace and line breaks are ignored. */
  readonly from: string;
  readonly to: string;
}

/** A file with the mutant in place. */
export interface Place {
  /** The file's path. */
  readonly path: string;
  readonly source: string;
  readonly mutated: string;
}

/**
 * Finds the only place that a mutant matches in the folders `src` and `tasks` of `root`. Throws unless exactly one
 * declaration of that name contains the text.
 */
export function placeOf(root: string, edit: Edit): Place {
  const places = placesOf(root, edit);
  const [place] = places;
  if (place !== undefined && places.length === 1) return place.path.endsWith(".sh") ? inSentForm(root, place) : place;
  const where = places.map(({ path }) => path).join(", ") || "none";
  throw new Error(`the mutant "${edit.name}" must have one place in a declaration "${edit.in}", and has: ${where}`);
}

/**
 * Replaces a mutated host script with the generated file that contains its minified form, because furrow uses only that
 * file.
 */
function inSentForm(root: string, { path, mutated }: Place): Place {
  const folder = relative(root, dirname(path));
  const name = basename(path, ".sh");
  const generated = join(root, sentPath(folder, name));
  return { path: generated, source: readFileSync(generated, "utf8"), mutated: sentText(folder, name, mutated) };
}

function placesOf(root: string, edit: Edit): Place[] {
  const text = looseText(edit.from);
  const begins = declaration(edit.in);
  return [...sourcesOf(root)].flatMap(([path, source]) => {
    if (!source.includes(edit.in)) return [];
    return spans(source, begins).flatMap(([start, end]) => {
      const body = source.slice(start, end);
      return [...body.matchAll(text)].map(({ 0: found, index }) => {
        const at = start + index;
        return { path, source, mutated: source.slice(0, at) + edit.to.trim() + source.slice(at + found.length) };
      });
    });
  });
}

/**
 * The files of each root with their texts. The files are read once, because each test restores the file that it
 * mutates.
 */
const sources = new Map<string, ReadonlyMap<string, string>>();

function sourcesOf(root: string): ReadonlyMap<string, string> {
  const known = sources.get(root);
  if (known !== undefined) return known;
  const listed = ["src", "tasks"].flatMap((folder) => {
    try {
      return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) =>
        join(root, folder, path),
      );
    } catch {
      return [];
    }
  });
  const paths = listed.filter((path) => /(?<!\.test|\.fixture)\.(ts|sh)$/.test(path)).toSorted();
  const found = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
  sources.set(root, found);
  return found;
}

/** A pattern for the first line of a top-level declaration, a class member or a shell function. */
function declaration(name: string): RegExp {
  const word = escaped(name);
  const shell = String.raw`${word}\(\) \{`;
  const top = String.raw`(?:export )?(?:async )?(?:function\*?|class|const|let|interface) ${word}\b`;
  const member = String.raw`  (?:static |async |get |set |readonly |\*)*${word}[(<]`;
  return new RegExp(`^(?:${top}|${member}|${shell})`, "gm");
}

/** Returns the spans of declarations; each ends where the next one with the same indentation begins. */
function spans(source: string, begins: RegExp): [number, number][] {
  return [...source.matchAll(begins)].map(({ 0: first, index }) => {
    const isMember = first.startsWith("  ");
    const next = isMember
      ? /^(?: {2}(?=[\w#*/])|\})/gm
      : /^(?:(?:export|import|async|function|class|const|let|interface|type|\/\*\*) |\w+\(\) \{)/gm;
    next.lastIndex = index + first.length;
    return [index, next.exec(source)?.index ?? source.length];
  });
}

function looseText(text: string): RegExp {
  const words = text.trim().match(/[\w$]+|[^\w$\s]/g) ?? [];
  return new RegExp(words.map(escaped).join(String.raw`\s*`), "g");
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/#-]/g, String.raw`\$&`);
}
