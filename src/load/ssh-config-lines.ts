import { type Line, parse } from "ssh-config";
import { FurrowError } from "../core/errors.ts";

/** One line of a ssh_config file that says something: a keyword in lower case and its words. */
export interface Statement {
  readonly keyword: string;
  readonly words: readonly string[];
  /** The lines of the files an `Include` names, one list for each file. */
  readonly included: readonly (readonly Statement[])[];
}

/** Finds the files an `Include` names, in order, as path and text; `depth` counts includes around it. */
export type ReadInclude = (pattern: string) => readonly { readonly path: string; readonly text: string }[];

/** OpenSSH reads no deeper either (readconf.c, READCONF_MAX_DEPTH). */
const deepest = 16;

/** Reads the text of a ssh_config file into flat statements, with what it includes. Throws E_FILE. */
export function parseSshConfig(text: string, path: string, readInclude: ReadInclude, depth = 0): Statement[] {
  if (depth > deepest) {
    throw new FurrowError("E_FILE", {
      what: `the ssh_config file ${path} is included more than ${deepest} deep`,
      hint: "Remove the Include that leads back to the file itself",
    });
  }
  let lines: readonly Line[];
  try {
    lines = parse(text);
  } catch (error) {
    throw new FurrowError("E_FILE", {
      what: `the ssh_config file ${path} cannot be read`,
      current: (error as Error).message,
      hint: "Check the file with `ssh -G some-host`",
      cause: error,
    });
  }
  return lines.flatMap((line) => statements(line, readInclude, depth));
}

function statements(line: Line, readInclude: ReadInclude, depth: number): Statement[] {
  if (!("param" in line)) return [];
  const keyword = line.param.toLowerCase();
  const words = typeof line.value === "string" ? [line.value] : line.value.map(({ val }) => val);
  const included =
    keyword === "include"
      ? words.flatMap(readInclude).map((file) => parseSshConfig(file.text, file.path, readInclude, depth + 1))
      : [];
  const inner = "config" in line ? line.config.flatMap((child) => statements(child, readInclude, depth)) : [];
  return [{ keyword, words, included }, ...inner];
}
