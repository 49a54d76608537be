import { FurrowError } from "../../core/errors.ts";
import { splitWords } from "./words.ts";

/** One line of a ssh_config file that says something. */
export interface Statement {
  /** In lower case. */
  readonly keyword: string;
  readonly words: readonly string[];
  /** Where it stands: `path:line`. */
  readonly place: string;
  /** The lines of the files an `Include` names, one list for each file. */
  readonly included: readonly (readonly Statement[])[];
}

/** Finds the files an `Include` names, in order, as path and text. */
export type ReadInclude = (pattern: string) => readonly { readonly path: string; readonly text: string }[];

/** OpenSSH reads no deeper either (readconf.c, READCONF_MAX_DEPTH). */
const deepest = 16;

/** Commands are taken as they stand, quotes and all. */
const raw = new Set(["proxycommand", "localcommand", "remotecommand", "knownhostscommand"]);

/** Reads the text of a ssh_config file into flat statements, with what it includes. Throws E_FILE. */
export function parseSshConfig(text: string, path: string, readInclude: ReadInclude, depth = 0): Statement[] {
  if (depth > deepest) {
    throw new FurrowError("E_FILE", {
      what: `the ssh_config file ${path} is included more than ${deepest} deep`,
      hint: "Remove the Include that leads back to the file itself",
    });
  }
  return text.split("\n").flatMap((line, index) => statement(line, `${path}:${index + 1}`, readInclude, depth));
}

function statement(line: string, place: string, readInclude: ReadInclude, depth: number): Statement[] {
  const [, name = "", rest = ""] = /^[ \t\r]*([^ \t\r=]*)[ \t\r]*=?[ \t\r]*(.*?)[ \t\r\f]*$/s.exec(line) ?? [];
  if (name === "" || name.startsWith("#")) return [];
  const keyword = name.toLowerCase();
  const words = splitWords(rest);
  if (words === undefined) throw unreadable(place, line, "a quote stays open");
  if (words.length === 0) throw unreadable(place, line, `nothing stands after ${name}`);
  const included =
    keyword === "include"
      ? words.flatMap(readInclude).map((file) => parseSshConfig(file.text, file.path, readInclude, depth + 1))
      : [];
  return [{ keyword, words: raw.has(keyword) ? [rest] : words, place, included }];
}

function unreadable(place: string, line: string, why: string): FurrowError {
  return new FurrowError("E_FILE", {
    what: `the line ${place} of ssh_config cannot be read: ${why}`,
    current: line.trim(),
    hint: "Correct the line; ssh itself refuses it too",
  });
}
