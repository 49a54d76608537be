import { extname } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import { isRecord } from "../../core/facts/symbols.ts";
import { readNamedFile } from "../named-file.ts";
import type { Setting } from "./precedence.ts";
import { repeatedJsonKey } from "./repeated-json-key.ts";
import { syntaxFault } from "../playbook/syntax-fault.ts";

/**
 * The vars from `--var` flags: `name=value` (the value is JSON if it parses, otherwise text), a JSON object of vars, or
 * `@file.json`, `@file.yaml`; later flags win. Throws FurrowError E_USAGE or E_FILE.
 */
export async function parseVarFlags(flags: readonly string[]): Promise<Record<string, Setting>> {
  const vars: Record<string, Setting> = {};
  for (const flag of flags) {
    if (flag.startsWith("@")) Object.assign(vars, await readVars(flag.slice(1)));
    else if (flag === hiddenValue) throw noValue("--var", "the vars");
    else if (flag.startsWith("{")) Object.assign(vars, readObject(flag));
    else {
      const [, name, text = ""] = /^([^=\s]+)=(.*)$/s.exec(flag) ?? [];
      if (name === undefined) throw notAVar();
      refuseName(name);
      refuseText(name, text);
      const value = parseValue(text);
      if (typeof value === "object") refuseRepeatedKey(text);
      vars[name] = { value, origin: "--var" };
    }
  }
  return vars;
}

/**
 * Refuses the only name that JavaScript does not store as an ordinary field, because the var would silently be missing.
 */
function refuseName(name: string): void {
  if (name === "__proto__")
    throw new FurrowError("E_USAGE", { what: "a var cannot be named __proto__", hint: "Choose another name" });
}

/** The placeholder in a printed command for a value that must not be shown. */
export const hiddenValue = "…";

function noValue(flag: string, missing: string): FurrowError {
  const gap = flag.endsWith("=") ? "" : " ";
  return new FurrowError("E_USAGE", {
    what: `${flag}${gap}${hiddenValue} has no value: furrow prints ${hiddenValue} in place of a value that may be secret`,
    hint: `Write ${missing}`,
  });
}

/** Refuses a value that was pasted from a printed command, and text that Ansible would split into several vars. */
function refuseText(name: string, text: string): void {
  if (text === hiddenValue) throw noValue(`--var ${name}=`, `the value of ${name}`);
  // An equals sign before a space, the end or another equals sign is base64 padding, as in a public key.
  const [, other] = /^[^"'[{].*\s([A-Za-z_]\w*)=[^\s=]/s.exec(text) ?? [];
  if (other === undefined) return;
  throw new FurrowError("E_USAGE", {
    what: `--var ${name}=… seems to contain another var, ${other}`,
    expected: `one var per flag: --var ${name}=… --var ${other}=…`,
    hint: `Repeat the flag, or quote the text as JSON if it is one value: --var '${name}="…"'`,
  });
}

function readObject(flag: string): Record<string, Setting> {
  const value = parseValue(flag);
  if (!isRecord(value)) throw notAVar();
  refuseRepeatedKey(flag);
  for (const name of Object.keys(value)) refuseName(name);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, { value: part, origin: "--var" }]));
}

/** Parses JSON. Other text (`v1`, `007`), and numbers that would lose digits, stay text. */
function parseValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" && String(value) !== text ? text : value;
  } catch {
    return text;
  }
}

async function readVars(path: string): Promise<Record<string, Setting>> {
  let text: string;
  try {
    text = readNamedFile(path);
  } catch (error) {
    throw new FurrowError("E_FILE", {
      what: `the vars file ${path} cannot be read`,
      current: (error as Error).message,
      hint: "Give the path of a JSON or YAML file after the @",
      cause: error,
    });
  }
  const value = await parseFile(path, text);
  if (!isRecord(value)) {
    throw new FurrowError("E_FILE", {
      what: `the vars file ${path} is not a mapping of names to values`,
      expected: "version: v1.4.0",
      hint: "Write a mapping of names to values",
    });
  }
  for (const name of Object.keys(value)) refuseName(name);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, { value: part, origin: `--var @${path}` }]),
  );
}

async function parseFile(path: string, text: string): Promise<unknown> {
  try {
    // Errors in JSON are reported by the YAML parser, which gives the position and does not quote the surrounding text.
    if (extname(path) === ".json" && isJson(text)) return JSON.parse(refuseRepeatedKey(text, path));
    const { parseDocument } = await import("yaml");
    // With "warn", the parser would print its warnings, with text from the file; with "silent", it would ignore all
    // documents after the first.
    const document = parseDocument(text, { logLevel: "error" });
    if (document.errors.some(({ code }) => code === "MULTIPLE_DOCS")) throw severalDocuments(path);
    for (const fault of [...document.errors, ...document.warnings]) throw fault;
    if (extname(path) !== ".json") return document.toJS();
    throw new Error("it is YAML, but not JSON");
  } catch (error) {
    if (error instanceof FurrowError) throw error;
    const place = (error as { linePos?: readonly { line: number; col: number }[] }).linePos?.[0];
    throw new FurrowError("E_FILE", {
      what: `the vars file ${path} cannot be parsed`,
      where: { source: place === undefined ? path : `${path}:${place.line}:${place.col}` },
      current: syntaxFault(error as Error),
      hint: "Correct the syntax; the name must end in .json, .yaml or .yml",
      cause: error,
    });
  }
}

function severalDocuments(path: string): FurrowError {
  return new FurrowError("E_FILE", {
    what: `the vars file ${path} has more than one document`,
    where: { source: path },
    expected: "one mapping of names to values",
    hint: 'Delete the line "---" between them, or give each document as a file of its own',
  });
}

/** Refuses a key that occurs twice in one object: only its last value would count. Returns the text. */
function refuseRepeatedKey(text: string, path?: string): string {
  const twice = repeatedJsonKey(text);
  if (twice === undefined) return text;
  throw new FurrowError(path === undefined ? "E_USAGE" : "E_FILE", {
    what: `${path === undefined ? "--var" : `the vars file ${path}`} gives the key "${twice.name}" twice`,
    ...(path !== undefined && { where: { source: `${path}:${twice.line}:${twice.column}` } }),
    current: `it first occurs on line ${twice.before}`,
    hint: "Delete one of the two",
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The argument is not shown, because it may be a bare value that is secret. */
function notAVar(): FurrowError {
  return new FurrowError("E_USAGE", {
    what: "--var needs a name and an equals sign",
    expected: "--var name=value, or --var @file.yaml",
    hint: "Write the name, an equals sign and the value",
  });
}
