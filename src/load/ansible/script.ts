import { execFile } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { type AnsibleGraph, GraphError } from "./graph.ts";
import type { FileOptions } from "./ini.ts";
import { isMapping, type Mapping } from "./yaml-inventory.ts";

const execute = promisify(execFile);

/**
 * True for a program: an executable file that begins with `#!` or is an ELF file. The executable bit is not enough:
 * host lists often have it by mistake.
 */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return false;
  }
  const start = Buffer.alloc(4);
  const file = openSync(path, "r");
  try {
    readSync(file, start, 0, 4, 0);
  } finally {
    closeSync(file);
  }
  return start.toString("latin1", 0, 2) === "#!" || start.toString("latin1") === "\u007FELF";
}

/** The options for running an inventory program and reading its output. */
export interface ProgramOptions extends FileOptions {
  readonly signal: AbortSignal;
  /** Parses JSON as in a vars file: encrypted values become secrets. */
  readonly read: (text: string) => unknown;
}

/**
 * Runs an inventory program with `--list`. If the output has no `_meta.hostvars`, also runs it with `--host NAME` for
 * every host. Throws GraphError.
 */
export async function readProgram(path: string, graph: AnsibleGraph, options: ProgramOptions): Promise<void> {
  const list = await call(path, ["--list"], options);
  if (!isMapping(list)) throw new GraphError("--list does not print a JSON object");
  await readListing(list, graph, options, (host) => call(path, ["--host", host], options));
}

/**
 * True for the output of `ansible-inventory --list` and of inventory programs: groups with lists of hosts and children,
 * and host vars in `_meta.hostvars`.
 */
export function isListing(data: unknown): data is Mapping {
  return isMapping(data) && isMapping(data["_meta"]) && isMapping(data["_meta"]["hostvars"]);
}

/**
 * Reads the output of `--list` into the graph. `ask` returns the vars of one host; it is called only if there is no
 * `_meta.hostvars`. Throws GraphError.
 */
export async function readListing(
  list: Mapping,
  graph: AnsibleGraph,
  options: FileOptions,
  ask: (host: string) => Promise<unknown>,
): Promise<void> {
  const hosts = new Set<string>();
  for (const [name, group] of Object.entries(list)) {
    if (name !== "_meta") readGroup(name, group, graph, options, hosts);
  }
  const meta = isMapping(list["_meta"]) ? list["_meta"]["hostvars"] : undefined;
  if (meta !== undefined && !isMapping(meta)) throw new GraphError("_meta.hostvars is not a JSON object");
  for (const host of hosts) {
    const vars = meta === undefined ? await ask(host) : (meta[host] ?? {});
    if (!isMapping(vars)) throw new GraphError(`the vars of the host ${host} are not a JSON object`);
    set(host, vars, graph, options);
  }
}

async function call(path: string, words: readonly string[], { signal, read }: ProgramOptions): Promise<unknown> {
  const title = words.join(" ");
  let text: string;
  try {
    const running = execute(resolve(path), words, { signal, maxBuffer: 1 << 30, encoding: "utf8" });
    running.child.stdin?.end();
    text = (await running).stdout;
  } catch (error) {
    signal.throwIfAborted();
    const { code, stderr = "", message } = error as { code?: number | string; stderr?: string; message: string };
    const last = stderr.trim().split("\n").at(-1) ?? "";
    throw new GraphError(typeof code === "number" ? `${title} fails with exit code ${code}: ${last}` : message);
  }
  if (text.trim() === "" && words[0] === "--host") return {};
  try {
    JSON.parse(text);
  } catch {
    throw new GraphError(`${title} does not print JSON`);
  }
  return read(text);
}

function readGroup(name: string, said: unknown, graph: AnsibleGraph, options: FileOptions, all: Set<string>): void {
  graph.addGroup(name);
  // If the group is a list, the list contains its hosts. If it is an object without any of these keys, the object
  // contains the vars of one host with the same name as the group.
  const group: Mapping = !isMapping(said)
    ? { hosts: said }
    : ["hosts", "vars", "children"].some((key) => key in said)
      ? said
      : { hosts: [name], vars: said };
  const { hosts = [], vars = {}, children = [] } = group;
  if (!Array.isArray(hosts)) throw new GraphError(`the hosts of the group ${name} are not a list`);
  if (!isMapping(vars)) throw new GraphError(`the vars of the group ${name} are not a JSON object`);
  if (!Array.isArray(children)) throw new GraphError(`the children of the group ${name} are not a list`);
  for (const host of hosts as readonly unknown[]) {
    if (typeof host !== "string") throw new GraphError(`the group ${name} has a host that is not a string`);
    all.add(host);
    graph.addHost(host, options.file, name);
  }
  set(name, vars, graph, options);
  for (const child of children as readonly unknown[]) {
    if (typeof child !== "string") throw new GraphError(`the group ${name} has a child that is not a string`);
    graph.addGroup(child);
    graph.addChild(name, child);
  }
}

function set(entity: string, vars: Mapping, graph: AnsibleGraph, { file, keep }: FileOptions): void {
  for (const [name, value] of Object.entries(vars)) graph.set(entity, name, { value: keep(name, value), file });
}
