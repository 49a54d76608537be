import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import { type Diagnostic, isUsers, missesNodeTypes, withoutConsequences } from "./diagnostics.ts";
import { isTold, lowered, typesError } from "./explain.ts";

/** A finished run of the compiler. */
export interface Compiled {
  readonly found: readonly Diagnostic[];
  /** The exit code or the signal that ended the compiler. */
  readonly end: number | NodeJS.Signals | null;
  /** The folder that paths are shown relative to. */
  readonly folder: string;
  /** The tsconfig.json that was written for the check. */
  readonly written: string;
  /** The project's own tsconfig.json and those that it extends. */
  readonly sources: readonly string[];
}

/** The result of a run of the compiler: errors, or why types were not checked. */
export interface Verdict {
  /** Returns the errors, except those in `told`, which are reported elsewhere. */
  readonly error?: (told: readonly FurrowError[]) => FurrowError | undefined;
  readonly notice?: string;
}

/** Evaluates the result of a compiler run. */
export function verdictOf(compiled: Compiled): Verdict {
  const { found, end, folder, written, sources } = compiled;
  const isSetting = ({ file }: Diagnostic): boolean => file !== undefined && [written, ...sources].includes(file);
  const own = withoutConsequences(found.filter((one) => isUsers(one) && !isSetting(one)));
  if (own.length > 0) {
    return {
      error: (told) => {
        const left = own.filter((one) => !isTold(one, told));
        return left.length === 0 ? undefined : typesError(left, folder);
      },
    };
  }
  const settings = found.filter((one) => isSetting(one) || one.file === undefined).map((one) => placed(one, compiled));
  const wrong = settings.filter(({ file }) => file !== undefined && sources.includes(file));
  if (wrong.length > 0) return { error: () => settingsError(wrong, folder) };
  // Errors in a package's declarations are reported only if the declarations cannot be parsed; in that case, the
  // compiler checks no types.
  const unparsed = found.find(({ file }) => /\.d\.[cm]?ts$/.test(file ?? ""));
  if (unparsed) return { notice: unchecked(`${unparsed.file}:${unparsed.line}: ${unparsed.lines[0]}`) };
  if (end !== 0 && found.every((one) => one.file === undefined || isSetting(one)))
    return { notice: unchecked(found[0]?.lines[0] ?? `the compiler exited with ${end}`) };
  if (found.some((one) => isUsers(one) && missesNodeTypes(one)))
    return { notice: "the types of Node's modules are not checked: run npm install --save-dev @types/node" };
  return {};
}

/** The notice that a check did not take place. */
export function unchecked(reason: string): string {
  return `types are not checked: ${reason}`;
}

/**
 * An error in the settings, located in the user's file. The compiler places some of these errors in the tsconfig.json
 * that furrow generates, which the user never sees, and gives no position for others; in either case the message names
 * the option.
 */
function placed(diagnostic: Diagnostic, { sources }: Compiled): Diagnostic {
  if (diagnostic.file !== undefined && sources.includes(diagnostic.file)) return diagnostic;
  const names = [...(diagnostic.lines[0] ?? "").matchAll(/'([^']+)'/g)].map(([, name = ""]) =>
    // The compiler gives the full path of a file, but a relative path for a project, possibly without the extension.
    name.startsWith("/") ? basename(name, ".json") : `"${name}"`,
  );
  for (const name of names) {
    for (const file of sources) {
      const lines = textOf(file).split("\n");
      const line = lines.findIndex((text) => text.includes(name));
      if (line !== -1) return { ...diagnostic, file, line: line + 1, column: (lines[line] ?? "").indexOf(name) + 1 };
    }
  }
  return diagnostic;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function settingsError(found: readonly Diagnostic[], folder: string): FurrowError {
  const said = ({ lines: [text = ""] }: Diagnostic): string => lowered(text.replace(/\.$/, ""));
  const [first, ...rest] = found as readonly [Diagnostic, ...Diagnostic[]];
  const shown = relative(folder, first.file ?? "");
  return new FurrowError("E_TYPES", {
    what: `${shown} has a wrong setting`,
    where: { source: `${first.file}:${first.line}:${first.column}` },
    current: said(first),
    hint: `Correct ${shown}, or skip the type check with --no-types`,
    ...(rest.length > 0 && {
      details: rest.map((one) => `${relative(folder, one.file ?? "")}:${one.line}:${one.column}  ${said(one)}`),
    }),
  });
}
