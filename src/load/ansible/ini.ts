import { isDeepStrictEqual } from "node:util";
import { type AnsibleGraph, GraphError } from "./graph.ts";
import { hostPattern } from "./host-range.ts";
import { pythonLiteral } from "./python-literal.ts";
import { shellWords } from "./words.ts";

/** The name of a file, for errors and origins, and a function that converts its values before they are stored. */
export interface FileOptions {
  /** The file's path, as the user would write it. */
  readonly file: string;
  /** Converts a value before it is stored: values of an encrypted file become secrets. */
  readonly keep: (name: string, value: unknown) => unknown;
}

interface Pending {
  readonly line: number;
  readonly kind: "vars" | "children";
  readonly parents: string[];
}

/**
 * Reads an INI inventory into the graph: `[group]`, `[group:children]` and `[group:vars]`, which may come before
 * `[group]`. Throws GraphError with a message that begins with the line number.
 */
export function readIni(text: string, graph: AnsibleGraph, options: FileOptions): void {
  new IniReader(graph, options).read(text);
}

class IniReader {
  readonly #graph: AnsibleGraph;
  readonly #options: FileOptions;
  readonly #pending = new Map<string, Pending>();
  /** The values from host lines, by group, host and var. */
  readonly #said = new Map<string, { readonly value: unknown; readonly line: number }>();
  #group = "ungrouped";
  #section = "hosts";

  constructor(graph: AnsibleGraph, options: FileOptions) {
    this.#graph = graph;
    this.#options = options;
  }

  read(text: string): void {
    const lines = text.split(/\r\n|[\n\r\v\f\u001C-\u001E\u0085\u2028\u2029]/);
    for (const [index, raw] of lines.entries()) {
      const line = raw.trim();
      if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
      try {
        this.#line(line, index + 1);
      } catch (error) {
        const column = raw.length - raw.trimStart().length + 1;
        throw new GraphError(`line ${index + 1}, column ${column}: ${(error as Error).message}`);
      }
    }
    for (const [name, { line, kind, parents }] of this.#pending) {
      throw new GraphError(
        kind === "vars"
          ? `line ${line}: [${name}:vars] sets variables for a group that is not declared`
          : `line ${line}: [${parents.at(-1) ?? ""}:children] names the group "${name}", which is not declared`,
      );
    }
  }

  #line(line: string, number: number): void {
    const [, group, section] = /^\[([^:\]\s]+)(?::(\w+))?\]\s*(?:#.*)?$/.exec(line) ?? [];
    if (group !== undefined) this.#begin(group, section ?? "hosts", number);
    else if (/^\[.*\]$/.test(line))
      throw new GraphError(
        `"${firstWord(line)}" is not a section: a section name contains no spaces and at most one colon`,
      );
    else if (this.#section === "hosts") this.#host(line, number);
    else if (this.#section === "vars") this.#variable(line);
    else this.#child(line, number);
  }

  #begin(group: string, section: string, line: number): void {
    if (!["hosts", "children", "vars"].includes(section)) {
      throw new GraphError(`[${group}:${section}] is not one of [${group}], [${group}:children] and [${group}:vars]`);
    }
    this.#group = group;
    this.#section = section;
    if (!this.#graph.groups.has(group)) {
      if (section === "vars" && !this.#pending.has(group))
        this.#pending.set(group, { line, kind: "vars", parents: [] });
      this.#graph.addGroup(group);
    }
    const pending = this.#pending.get(group);
    if (pending === undefined || section === "vars") return;
    if (pending.kind === "children") this.#adopt(group, pending);
    else this.#pending.delete(group);
  }

  /** Adds a group to the parents that named it as a child before it was declared. */
  #adopt(group: string, { parents }: Pending): void {
    for (const parent of parents) {
      this.#graph.addChild(parent, group);
      const above = this.#pending.get(parent);
      if (above?.kind === "children") this.#adopt(parent, above);
    }
    this.#pending.delete(group);
  }

  #host(line: string, number: number): void {
    const words = shellWords(line, true);
    if (words === undefined) throw new GraphError("a quote is not closed");
    const [pattern = "", ...rest] = words;
    const { hosts, port } = hostPattern(pattern);
    if (pattern.endsWith(":") && port === undefined)
      throw new GraphError(`"${pattern}" ends in a colon without a port`);
    if (hosts.some((host) => host.trim() === "---"))
      throw new GraphError('"---" is not a host: it starts a YAML document');
    const vars = rest.map((word, index) => {
      const equals = word.indexOf("=");
      // The word is not shown, because it may be the second half of an unquoted password.
      if (equals < 0)
        throw new GraphError(`word ${index + 1} after the host ${pattern} is not NAME=VALUE; quote values with spaces`);
      return [word.slice(0, equals), typed(word.slice(equals + 1))] as const;
    });
    for (const host of hosts) {
      this.#graph.addHost(host, this.#options.file, this.#group, port);
      for (const [name, value] of vars) {
        this.#refuseSecond(host, name, value, number);
        this.#set(host, name, value);
      }
    }
  }

  /**
   * Refuses a second, different value for the same var of a host in the same group: one of the two values would be lost
   * silently.
   */
  #refuseSecond(host: string, name: string, value: unknown, line: number): void {
    const key = JSON.stringify([this.#group, host, name]);
    const before = this.#said.get(key);
    if (before !== undefined && !isDeepStrictEqual(before.value, value)) {
      throw new GraphError(
        `the group ${this.#group} lists the host ${host} twice, with two values for ${name}; the first is in line ${before.line}`,
      );
    }
    if (before === undefined) this.#said.set(key, { value, line });
  }

  #variable(line: string): void {
    const equals = line.indexOf("=");
    if (equals < 0) throw new GraphError(`the line in [${this.#group}:vars] is not NAME=VALUE`);
    this.#set(this.#group, line.slice(0, equals).trim(), typed(line.slice(equals + 1).trim()));
  }

  #set(entity: string, name: string, value: unknown): void {
    this.#graph.set(entity, name, { value: this.#options.keep(name, value), file: this.#options.file });
  }

  #child(line: string, number: number): void {
    const [, child] = /^([^:\]\s=]+)\s*(?:#.*)?$/.exec(line) ?? [];
    if (child === undefined) throw new GraphError(`"${firstWord(line)}" is not the name of a group`);
    if (this.#graph.groups.has(child)) {
      this.#graph.addChild(this.#group, child);
      return;
    }
    const pending = this.#pending.get(child);
    if (pending === undefined) this.#pending.set(child, { line: number, kind: "children", parents: [this.#group] });
    else pending.parents.push(this.#group);
  }
}

/** The beginning of a line, as an error message shows it, without anything that may be the value of a variable. */
function firstWord(line: string): string {
  const [word = ""] = line.split(/\s/);
  return word.includes("=") ? `${word.slice(0, word.indexOf("="))}=…` : word === line ? line : `${word} …`;
}

/** The value of a Python literal; any other text stays a string. */
function typed(text: string): unknown {
  const literal = pythonLiteral(text);
  return literal === undefined ? text : literal.value;
}
