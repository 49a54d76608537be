import { readFileSync } from "node:fs";
import { hintForValue, paramLike, taskLike } from "../../core/params/other-tools.ts";
import { closest } from "../../core/closest.ts";
import { FurrowError } from "../../core/errors.ts";
import { isSecretName } from "../../core/secrets/secret-schema.ts";
import { meantDoor, meantExport } from "../playbook/meant.ts";
import { namesOfForms, ownDeclarations } from "./named-forms.ts";
import type { Diagnostic } from "./diagnostics.ts";
import { type Explained, missingName, someNamesIn, wrongType } from "./params.ts";

/** The maximum number of errors that are listed after the first. */
const mostDetails = 19;

/** The error for files with type errors. Does not throw; `found` contains at least one diagnostic. */
export function typesError(found: readonly Diagnostic[], folder: string): FurrowError {
  const [first, ...rest] = found;
  if (first === undefined) return new FurrowError("E_BUG", { what: "the type check found no errors to report" });
  const { what, expected, current, hint } = explain(first);
  const shown = rest.slice(0, mostDetails).map((diagnostic) => {
    const more = explain(diagnostic);
    return `${place(diagnostic, folder)}  ${more.what}. ${more.hint}`;
  });
  const left = rest.length - shown.length;
  return new FurrowError("E_TYPES", {
    what,
    where: { source: `${first.file}:${first.line}:${first.column}` },
    ...(current !== undefined && { current }),
    ...(expected !== undefined && { expected }),
    hint,
    ...(shown.length > 0 && { details: left > 0 ? [...shown, `and ${left} more`] : shown }),
  });
}

/**
 * True if the error was already found when the files were loaded: at the same line, or with the same hint at another
 * line of the same file.
 */
export function isTold(diagnostic: Diagnostic, told: readonly FurrowError[]): boolean {
  const { file = "", line } = diagnostic;
  return told.some(({ failure: { where, hint } }) => {
    const source = where?.source ?? "";
    if (!source.startsWith(`${file}:`)) return false;
    return source.startsWith(`${file}:${line}:`) || source === `${file}:${line}` || explain(diagnostic).hint === hint;
  });
}

function place({ file = "", line, column }: Diagnostic, folder: string): string {
  return `${file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file}:${line}:${column}`;
}

/**
 * Matches the compiler's first message about a call to a task that has several forms. The last form accepts everything
 * that any of the forms accepts.
 */
const aboutForms = /^(No overload matches this call|The last overload gave the following error)\.$/;

const generalHint = "Correct that line";

function explain(diagnostic: Diagnostic): Explained {
  const lines = withoutSecrets(diagnostic);
  const [first = "", ...reasons] = lines
    .filter((line, at) => at === lines.length - 1 || !aboutForms.test(line))
    .map((line) => line.replace(/\.$/, ""));
  const deepest = reasons.at(-1);
  const source = lineOf(diagnostic.file, diagnostic.line) ?? "";
  const [before, after] = [source.slice(0, diagnostic.column - 1), source.slice(diagnostic.column - 1)];
  return (
    meantName(first, diagnostic.file) ??
    meantName(deepest ?? "", diagnostic.file) ??
    missingName([first, ...reasons], before) ??
    missingModule(first) ??
    wrongLiteral(deepest ?? first) ??
    wrongLiteral(first) ??
    wrongType([first, ...reasons], after) ?? {
      what: lowered(shortened(first)),
      ...(deepest !== undefined && { current: lowered(shortened(deepest)) }),
      hint: generalHint,
    }
  );
}

/** Explains a name that does not exist. `file`: the path of the user's file, which may declare the type. */
function meantName(text: string, file = ""): Explained | undefined {
  const [, name = "", type = ""] =
    /(?:Property|Object literal may only specify known properties, (?:but|and)) '(.+?)' does not exist (?:on|in) type '(.*?)'(?:\.|$)/.exec(
      text,
    ) ??
    /(?:Cannot find name|has no exported member(?: named)?) '(.+?)'/.exec(text) ??
    [];
  if (name === "") return undefined;
  const isDeclared = text.startsWith("Object literal") || /^[A-Z]\w*$/.test(type);
  const declared = isDeclared ? namesOfForms(type, [file, ...ownDeclarations()]) : [];
  const meant =
    /Did you mean (?:to write )?'(.+?)'/.exec(text)?.[1] ??
    (type.includes("tasks/index") ? (taskLike(name) ?? meantExport(name, "furrow/tasks")) : undefined) ??
    paramLike(name, [...someNamesIn(type), ...declared]) ??
    closest(name, [...someNamesIn(type), ...declared]);
  const names = declared.length > 0 && meant === undefined ? declared : namesIn(type);
  const hint = type.startsWith("Ref<")
    ? `Use output.map(({ ${name} }) => ${name}): a task's output is known only once it has run`
    : `Remove "${name}"${declared.length > 0 ? "" : ", or declare it"}`;
  return {
    what: /Cannot find|exported/.test(text) ? lowered(shortened(text)) : `"${name}" does not exist here`,
    ...(names.length > 0 && { expected: `one of ${names.join(", ")}` }),
    hint: meant === undefined ? hint : `Write "${meant}" instead of "${name}"`,
  };
}

/** Explains an import that cannot be resolved. */
function missingModule(text: string): Explained | undefined {
  const name = /^Cannot find module '(.+?)'/.exec(text)?.[1];
  const meant = name === undefined ? undefined : meantDoor(name);
  if (name === undefined || meant === undefined) return undefined;
  return { what: `the module "${name}" does not exist`, hint: `Write "${meant}" instead of "${name}"` };
}

/**
 * The property names of an object type as the compiler prints it, `{ port: number; }`; empty if the type is truncated.
 */
function namesIn(type: string): string[] {
  return /^\{ .* \}$/.test(type) && !type.includes("...") ? someNamesIn(type.slice(1, -1)) : [];
}

/** Explains a string that is not one of the allowed strings. */
function wrongLiteral(text: string): Explained | undefined {
  const [, given = "", type = ""] = /Type '"(.*?)"' is not assignable to type '(.*)'/.exec(text) ?? [];
  const allowed = [...new Set([...type.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, literal = ""]) => literal))];
  if (given === "" || given === "…" || allowed.length === 0) return undefined;
  const meant = closest(given, allowed);
  return {
    what: `"${given}" is not allowed here`,
    expected: allowed.map((literal) => `"${literal}"`).join(" or "),
    hint: hintForValue(given) ?? (meant === undefined ? generalHint : `Write "${meant}" instead of "${given}"`),
  };
}

/** Shortens types, because a long type can fill a screen. */
function shortened(text: string): string {
  // Every param accepts a task's output, so repeating this in each message would be noise.
  return text
    .replaceAll(/ \| AnyRef<[^<>]*>/g, "")
    .replaceAll(/'([^']{90,})'/g, (_all, type: string) => `'${type.slice(0, 80)}…'`);
}

/**
 * Turns the first letter of a sentence from the compiler into lower case, so that the text can continue another
 * sentence.
 */
export function lowered(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

/**
 * The compiler quotes strings from the user's files. If the line mentions a secret, all of these strings are hidden.
 * Otherwise only strings from other lines are hidden, because those lines may mention a secret. Strings that a type
 * allows do not come from the user's files.
 */
function withoutSecrets({ file, line, lines }: Diagnostic): readonly string[] {
  const text = lineOf(file, line);
  if (text === undefined || text.split(/[^\w.-]+/).some((word) => isSecretName(word))) {
    return lines.map((said) => said.replaceAll(quoted, '"…"'));
  }
  const hide = (type: string): string =>
    type.replaceAll(quoted, (own) => (text.includes(own.slice(1, -1)) ? own : '"…"'));
  return lines.map((said) => said.replace(/^\s*(?:Argument of type|Type) '[^']*'/, hide));
}

const quoted = /"(?:[^"\\]|\\.)*"/g;

function lineOf(file: string | undefined, line: number): string | undefined {
  try {
    return readFileSync(file ?? "", "utf8").split("\n")[line - 1] ?? "";
  } catch {
    return undefined;
  }
}
