import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ErrorCode, Failure } from "../../core/errors.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { meantDoor, meantExport, meantTask, ownExport } from "./meant.ts";
import { lastLoadedModule, ownDoors, ownRoot } from "./own-package.ts";

/** The error for a failed `import()` of a user's file, with the file and line in the user's code. */
export function importFailure(error: unknown, path: string, code: ErrorCode, noun: string): FurrowError {
  if (isFurrowError(error)) return error.at({ [noun === "playbook" ? "playbook" : "source"]: path });
  const failure = error instanceof Error ? explain(error, path, noun) : notError(error, path, noun);
  return new FurrowError(code, { ...failure, cause: error });
}

/** The failure for `throw null` or `throw "text"`. Such a value does not know where it was thrown. */
function notError(thrown: unknown, path: string, noun: string): Failure {
  return {
    what: `the ${noun} ${path} threw ${typeof thrown === "string" ? "a string" : String(thrown)} while loading`,
    where: { source: path },
    ...(typeof thrown === "string" && { current: thrown }),
    hint: "Throw an Error instead: it knows its line",
  };
}

function explain(error: Error & { code?: string }, path: string, noun: string): Failure {
  const what = `the ${noun} ${path} cannot be loaded`;
  if (error.code === "ERR_MODULE_NOT_FOUND") return notFound(error, what);
  if (error.code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return noSuchDoor(error, what, path);
  if (error.code === "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING") {
    return {
      what,
      current: "a TypeScript file in node_modules, where Node does not strip types",
      hint: "Import a package that ships JavaScript, or move the file out of node_modules",
    };
  }
  const place = error instanceof SyntaxError ? syntaxPlace(error) : undefined;
  const commonJs = place === undefined ? undefined : commonJsHint(error, place.position);
  if (place !== undefined) {
    return {
      what: `the ${noun} ${path} does not compile`,
      where: { source: place.position },
      current: error.message,
      hint: commonJs ?? syntaxHint(error, place.position),
      ...(place.lines.length > 0 && { details: place.lines }),
    };
  }
  const position = userFrame(error);
  const task = error instanceof TypeError ? meantTask(error.message) : undefined;
  if (task !== undefined) {
    return {
      what: `furrow has no task "${task.wrong}"`,
      ...(position !== undefined && { where: { source: position } }),
      hint: task.hint,
    };
  }
  return {
    what: `the ${noun} ${path} threw ${error.name} while loading`,
    ...(position !== undefined && { where: { source: position } }),
    current: error.message,
    hint: `Correct that line; code that runs while the ${noun} is loaded must not throw`,
  };
}

function syntaxHint(error: Error & { code?: string }, position: string): string {
  if (error.code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
    return "Use only erasable TypeScript syntax: no enum, no namespace, no parameter property";
  }
  const [, door = "", missing] = /module '(.+)' does not provide an export named '(.+)'/.exec(error.message) ?? [];
  if (missing === "default" && door === "furrow/tasks") return 'Write import * as t from "furrow/tasks"';
  const folder = dirname(position);
  const meant = missing === undefined ? undefined : (meantExport(missing, door) ?? ownExport(missing, door, folder));
  if (meant !== undefined) return `Write "${meant}" instead of "${missing}"`;
  if (missing !== undefined) return `Export "${missing}" from that module, or correct the import`;
  return "Correct the syntax; an editor shows the same error";
}

/**
 * The hint for a module that Node reads as CommonJS because of its package.json; `npm init` writes such a package.json.
 */
function commonJsHint({ message }: Error, position: string): string | undefined {
  if (!/import statement outside a module|Unexpected token 'export'/.test(message)) return undefined;
  for (let folder = dirname(position); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest)) return `Set "type": "module" in ${relative(process.cwd(), manifest)}`;
    if (folder === dirname(folder)) return undefined;
  }
}

interface Place {
  readonly position: string;
  /** The source line and the caret line below it. */
  readonly lines: readonly string[];
}

/** Node prints the position of a syntax error before the stack, except for plain JavaScript in an ES module. */
function syntaxPlace(error: Error): Place | undefined {
  const own = readPlace(error.stack ?? "");
  if (own !== undefined || !error.stack?.includes("compileSourceTextModule")) return own;
  const url = lastLoadedModule();
  if (url === undefined || !url.startsWith("file:")) return undefined;
  const checked = spawnSync(process.execPath, ["--check", fileURLToPath(url)], { encoding: "utf8" });
  return readPlace(checked.stderr) ?? { position: fileURLToPath(url), lines: [] };
}

function readPlace(text: string): Place | undefined {
  const [head = "", ...rest] = text.split("\n");
  const found = /^(?:file:\/\/)?(\/.+):(\d+)$/.exec(head);
  if (found === null) return undefined;
  const end = rest.findIndex((line) => line === "" || /^\w*Error\b/.test(line));
  const lines = rest.slice(0, end === -1 ? 3 : end);
  const column = lines.find((line) => /^\s*\^+\s*$/.test(line))?.indexOf("^");
  const shown = lines.filter((line) => line.trim() !== "").map(withoutSecret);
  return { position: `${head.replace(/^file:\/\//, "")}${column === undefined ? "" : `:${column + 1}`}`, lines: shown };
}

/**
 * A source line. If the line mentions a secret, its strings are masked without changing their length, so that the caret
 * still points to the right column.
 */
function withoutSecret(line: string): string {
  if (!/pass|secret|token|credential|key|\bpw/i.test(line)) return line;
  return line.replaceAll(
    /(["'`])(.*?)(\1|$)/g,
    (_text, open: string, inner: string, close: string) => `${open}${"*".repeat(inner.length)}${close}`,
  );
}

function notFound(error: Error, what: string): Failure {
  const [, kind, target = "", importer = ""] =
    /^Cannot find (module|package) '(.+)' imported from (.+)$/s.exec(error.message) ?? [];
  const position = importLine(importer, target);
  const meant = kind === "package" ? meantImport(importer, target) : undefined;
  return {
    what,
    ...(position !== undefined && { where: { source: position } }),
    current:
      kind === "package" ? `the package "${target}" is not installed` : `${target || error.message} does not exist`,
    hint:
      meant !== undefined
        ? `Write "${meant.meant}" instead of "${meant.written}"`
        : kind === "package"
          ? `Run "npm install ${target}" in the project that contains that file`
          : "Correct the path of the import; Node needs the complete file name with its extension, like ./role.ts",
  };
}

/** Node reports only the package name; the full specifier, such as `furow/tasks`, is read from the file. */
function meantImport(
  importer: string,
  target: string,
): { readonly written: string; readonly meant: string } | undefined {
  const path = importer.startsWith("file:") ? fileURLToPath(importer) : importer;
  const text = path.startsWith("/") ? readFileSync(path, "utf8") : "";
  const written = [...text.matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g)]
    .map(([, name = ""]) => name)
    .find((name) => name === target || name.startsWith(`${target}/`));
  const meant = meantDoor(written ?? target);
  return meant === undefined ? undefined : { written: written ?? target, meant };
}

/**
 * The failure for an unknown export like `furrow/task`. Node does not name the importing file, so furrow searches the
 * user's file for the line.
 */
function noSuchDoor(error: Error, what: string, path: string): Failure {
  const [, below = ""] = /^Package subpath '\.?(.*?)' is not defined/.exec(error.message) ?? [];
  const name = `furrow${below}`;
  const meant = error.message.includes(ownRoot) ? meantDoor(name) : undefined;
  if (meant === undefined)
    return { what, current: error.message, hint: "Correct the import: the package has no such export" };
  const position = importLine(resolve(path), name);
  return {
    what,
    ...(position !== undefined && { where: { source: position } }),
    current: `furrow has no export "${name}"`,
    expected: `one of ${Object.keys(ownDoors())
      .filter((door) => !door.endsWith(".json"))
      .join(", ")}`,
    hint: `Write "${meant}" instead of "${name}"`,
  };
}

/** The position of the import in `importer` that could not be resolved. */
function importLine(importer: string, target: string): string | undefined {
  const path = importer.startsWith("file:") ? fileURLToPath(importer) : importer;
  if (!path.startsWith("/")) return undefined;
  const last = target.split("/").at(-1) ?? target;
  const lines = readFileSync(path, "utf8").split("\n");
  const at = lines.findIndex((line) => /\b(from|import)\b/.test(line) && line.includes(last));
  return at === -1 ? path : `${path}:${at + 1}:${(lines[at] ?? "").indexOf(last) + 1}`;
}

/** The innermost stack frame that belongs neither to furrow nor to Node. */
export function userFrame(error: Error): string | undefined {
  for (const line of (error.stack ?? "").split("\n")) {
    const place = /(?:[\s(]|file:\/\/)(\/[^()]+:\d+:\d+)\)?$/.exec(line)?.[1];
    if (place === undefined || place.includes("/node_modules/")) continue;
    const inside = place.startsWith(ownRoot) ? place.slice(ownRoot.length) : "";
    if (!/^(src|tasks)\//.test(inside)) return place;
  }
  return undefined;
}
