import { execFile } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { type AnsibleGraph, GraphError } from "./graph.ts";
import type { FileManner } from "./ini.ts";
import { isMapping, type Mapping } from "./yaml-inventory.ts";

const execute = promisify(execFile);

/**
 * True for a file that is a program: it can be executed, and begins as a script or an ELF file does. Many a list of
 * hosts can be executed by mistake, and must not be.
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

/** What one call of a program is read with. */
export interface ProgramManner extends FileManner {
  readonly signal: AbortSignal;
  /** Reads JSON as vars files are read: encrypted values become secrets. */
  readonly read: (text: string) => unknown;
}

/**
 * Runs an inventory program with `--list`, and with `--host NAME` for every host where its answer has no
 * `_meta.hostvars`. Throws GraphError.
 */
export async function readProgram(path: string, graph: AnsibleGraph, manner: ProgramManner): Promise<void> {
  const list = await call(path, ["--list"], manner);
  if (!isMapping(list)) throw new GraphError("--list gives no JSON object");
  await readListing(list, graph, manner, (host) => call(path, ["--host", host], manner));
}

/**
 * True for data as `ansible-inventory --list` and programs print it: groups whose hosts and children are lists, and
 * `_meta.hostvars` with the vars of hosts.
 */
export function isListing(data: unknown): data is Mapping {
  return isMapping(data) && isMapping(data["_meta"]) && isMapping(data["_meta"]["hostvars"]);
}

/**
 * Reads such data into the graph; `ask` gives the vars of a host where `_meta` has those of none. Throws GraphError.
 */
export async function readListing(
  list: Mapping,
  graph: AnsibleGraph,
  manner: FileManner,
  ask: (host: string) => Promise<unknown>,
): Promise<void> {
  const hosts = new Set<string>();
  for (const [name, group] of Object.entries(list)) {
    if (name !== "_meta") readGroup(name, group, graph, manner, hosts);
  }
  const meta = isMapping(list["_meta"]) ? list["_meta"]["hostvars"] : undefined;
  if (meta !== undefined && !isMapping(meta)) throw new GraphError("_meta.hostvars is no JSON object");
  for (const host of hosts) {
    const vars = meta === undefined ? await ask(host) : (meta[host] ?? {});
    if (!isMapping(vars)) throw new GraphError(`the vars of the host ${host} are no JSON object`);
    set(host, vars, graph, manner);
  }
}

async function call(path: string, words: readonly string[], { signal, read }: ProgramManner): Promise<unknown> {
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
    throw new GraphError(typeof code === "number" ? `${title} ends with exit code ${code}: ${last}` : message);
  }
  if (text.trim() === "" && words[0] === "--host") return {};
  try {
    JSON.parse(text);
  } catch {
    throw new GraphError(`${title} gives no JSON`);
  }
  return read(text);
}

function readGroup(name: string, said: unknown, graph: AnsibleGraph, manner: FileManner, all: Set<string>): void {
  graph.addGroup(name);
  // A list is one of hosts; an object with none of these keys is a host of the group's name, with its vars.
  const group: Mapping = !isMapping(said)
    ? { hosts: said }
    : ["hosts", "vars", "children"].some((key) => key in said)
      ? said
      : { hosts: [name], vars: said };
  const { hosts = [], vars = {}, children = [] } = group;
  if (!Array.isArray(hosts)) throw new GraphError(`the hosts of the group ${name} are no list`);
  if (!isMapping(vars)) throw new GraphError(`the vars of the group ${name} are no JSON object`);
  if (!Array.isArray(children)) throw new GraphError(`the children of the group ${name} are no list`);
  for (const host of hosts as readonly unknown[]) {
    if (typeof host !== "string") throw new GraphError(`the group ${name} has a host that is no text`);
    all.add(host);
    graph.addHost(host, manner.file, name);
  }
  set(name, vars, graph, manner);
  for (const child of children as readonly unknown[]) {
    if (typeof child !== "string") throw new GraphError(`the group ${name} has a child that is no text`);
    graph.addGroup(child);
    graph.addChild(name, child);
  }
}

function set(entity: string, vars: Mapping, graph: AnsibleGraph, { file, keep }: FileManner): void {
  for (const [name, value] of Object.entries(vars)) graph.set(entity, name, { value: keep(name, value), file });
}
