import { FurrowError } from "../../core/errors.ts";
import { splitWords } from "./words.ts";

/** One line of an ssh_config file, other than blank lines and comments. */
export interface Statement {
  /** In lower case. */
  readonly keyword: string;
  readonly words: readonly string[];
  /** The line's position: `path:line`. */
  readonly place: string;
  /** The lines of the files that an `Include` names, one list for each file. */
  readonly included: readonly (readonly Statement[])[];
}

/** Reads the files that an `Include` names, in order. */
export type ReadInclude = (pattern: string) => readonly { readonly path: string; readonly text: string }[];

/** The depth limit of includes, the same as OpenSSH's (readconf.c, READCONF_MAX_DEPTH). */
const deepest = 16;

/** Keywords whose value is a command: the command is kept verbatim, with its quotes. */
const raw = new Set(["proxycommand", "localcommand", "remotecommand", "knownhostscommand"]);

/** Parses the text of an ssh_config file and its includes into statements. Throws E_FILE. */
export function parseSshConfig(text: string, path: string, readInclude: ReadInclude, depth = 0): Statement[] {
  if (depth > deepest) {
    throw new FurrowError("E_FILE", {
      what: `the ssh_config file ${path} is included more than ${deepest} levels deep`,
      hint: "Remove the Include that leads back to the same file",
    });
  }
  return text.split("\n").flatMap((line, index) => statement(line, `${path}:${index + 1}`, readInclude, depth));
}

function statement(line: string, place: string, readInclude: ReadInclude, depth: number): Statement[] {
  const [, name = "", rest = ""] = /^[ \t\r]*([^ \t\r=]*)[ \t\r]*=?[ \t\r]*(.*?)[ \t\r\f]*$/s.exec(line) ?? [];
  if (name === "" || name.startsWith("#")) return [];
  const keyword = name.toLowerCase();
  const words = splitWords(rest);
  if (words === undefined) throw unreadable(place, line, "a quote is not closed");
  if (words.length === 0) throw unreadable(place, line, `${name} has no value`);
  const included =
    keyword === "include"
      ? words.flatMap(readInclude).map((file) => parseSshConfig(file.text, file.path, readInclude, depth + 1))
      : [];
  return [{ keyword, words: raw.has(keyword) ? [rest] : words, place, included }];
}

function unreadable(place: string, line: string, why: string): FurrowError {
  return new FurrowError("E_FILE", {
    what: `the line ${place} in ssh_config cannot be read: ${why}`,
    current: line.trim(),
    hint: "Fix the line; ssh itself refuses it too",
  });
}
