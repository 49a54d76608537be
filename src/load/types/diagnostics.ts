import { isBuiltin } from "node:module";
import { resolve, sep } from "node:path";
import { ownRoot } from "../playbook/own-package.ts";

/** One compiler diagnostic. */
export interface Diagnostic {
  /** Absolute path; undefined for a diagnostic without a file. */
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  /** `TS2551`. */
  readonly code: string;
  /** The message, then the reasons, each explaining the line above. */
  readonly lines: readonly string[];
}

/** Reads what `tsc --pretty false` prints; paths are relative to `folder`. */
export function readDiagnostics(output: string, folder: string): Diagnostic[] {
  const found: (Diagnostic & { readonly lines: string[] })[] = [];
  for (const line of output.split("\n")) {
    const [, file, at = "0", column = "0", code = "", text = ""] =
      /^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+): (.*)$/.exec(line) ?? [];
    if (code !== "") {
      const path = file === undefined ? undefined : resolve(folder, file);
      found.push({ file: path, line: Number(at), column: Number(column), code, lines: [text.trim()] });
    } else if (/^\s+\S/.test(line)) found.at(-1)?.lines.push(line.trim());
  }
  return found;
}

/** Errors in the project's settings. missingSettings reports them once; the compiler repeats them for every import. */
const aboutSettings = new Set(["TS1286", "TS1287", "TS1295", "TS5097"]);

/** True if one of Node's own names is unknown only because Node's types are not installed; the code may be correct. */
export function missesNodeTypes({ code, lines: [text = ""] }: Diagnostic): boolean {
  return (
    ["TS2580", "TS2591"].includes(code) ||
    (["TS2307", "TS2882"].includes(code) && isBuiltin(/'([^']+)'/.exec(text)?.[1] ?? ""))
  );
}

/** An import or a name that the compiler cannot find. */
const unresolved = new Set(["TS2304", "TS2305", "TS2307", "TS2552", "TS2580", "TS2591", "TS2614", "TS2724", "TS2882"]);

/**
 * Codes of the compiler's messages about values of an unknown type, such as those from an import that it cannot find.
 */
const untyped = new Set(["TS7005", "TS7006", "TS7008", "TS7018", "TS7019", "TS7031", "TS7034", "TS7053", "TS18046"]);

/**
 * The errors, except those that follow from an import or a name that cannot be found, and those about Node's own names.
 */
export function withoutConsequences(found: readonly Diagnostic[]): Diagnostic[] {
  const files = new Set(found.filter(({ code }) => unresolved.has(code)).map(({ file }) => file));
  return found.filter((one) => !(files.has(one.file) && untyped.has(one.code)) && !missesNodeTypes(one));
}

/** True for a diagnostic in a file that the user wrote, not in a package or in furrow itself. */
export function isUsers({ file, code }: Diagnostic): boolean {
  if (aboutSettings.has(code)) return false;
  if (file === undefined || file.includes(`${sep}node_modules${sep}`)) return false;
  return !["src", "tasks"].some((folder) => file.startsWith(`${ownRoot}${folder}${sep}`));
}
