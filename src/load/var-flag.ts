import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { FurrowError } from "../core/errors.ts";
import { isRecord } from "../core/symbols.ts";
import type { Setting } from "./settings.ts";

/**
 * The vars of `--var` flags: `name=value` (JSON where it parses, else text) or `@file.json`, `@file.yaml`; a later one
 * wins. Throws FurrowError E_USAGE or E_FILE.
 */
export async function parseVarFlags(flags: readonly string[]): Promise<Record<string, Setting>> {
  const vars: Record<string, Setting> = {};
  for (const flag of flags) {
    if (flag.startsWith("@")) Object.assign(vars, await readVars(flag.slice(1)));
    else {
      const [, name, text = ""] = /^([^=\s]+)=(.*)$/s.exec(flag) ?? [];
      if (name === undefined) throw notAVar(flag);
      vars[name] = { value: parseValue(text), origin: "--var" };
    }
  }
  return vars;
}

/** JSON where it is that and nothing is lost: `v1`, `007` and a long number stay text. */
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
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new FurrowError("E_FILE", {
      what: `the file of vars ${path} cannot be read`,
      current: (error as Error).message,
      hint: "Give the path of a JSON or YAML file after the @",
      cause: error,
    });
  }
  const value = await parseFile(path, text);
  if (!isRecord(value)) {
    throw new FurrowError("E_FILE", {
      what: `the file of vars ${path} does not hold vars by name`,
      expected: "version: v1.4.0",
      hint: "Write a mapping of names to values",
    });
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, { value: part, origin: `--var @${path}` }]),
  );
}

async function parseFile(path: string, text: string): Promise<unknown> {
  try {
    if (extname(path) === ".json") return JSON.parse(text);
    const { parse } = await import("yaml");
    return parse(text);
  } catch (error) {
    const place = (error as { linePos?: readonly { line: number; col: number }[] }).linePos?.[0];
    throw new FurrowError("E_FILE", {
      what: `the file of vars ${path} cannot be understood`,
      where: { source: place === undefined ? path : `${path}:${place.line}:${place.col}` },
      current: ((error as Error).message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, ""),
      hint: "Correct the syntax; the name must end in .json, .yaml or .yml",
      cause: error,
    });
  }
}

function notAVar(flag: string): FurrowError {
  return new FurrowError("E_USAGE", {
    what: `--var "${flag}" sets nothing`,
    expected: "--var name=value, or --var @file.yaml",
    hint: "Write the name, an equals sign and the value",
  });
}
