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

/** Faults in the project's settings. missingSettings reports them once; the compiler repeats them for every import. */
const aboutSettings = new Set(["TS1286", "TS1287", "TS1295", "TS5097"]);

/** True for a diagnostic in a file that the user wrote, not in a package or in furrow itself. */
export function isUsers({ file, code }: Diagnostic): boolean {
  if (aboutSettings.has(code)) return false;
  if (file === undefined || file.includes(`${sep}node_modules${sep}`)) return false;
  return !["src", "tasks"].some((folder) => file.startsWith(`${ownRoot}${folder}${sep}`));
}
