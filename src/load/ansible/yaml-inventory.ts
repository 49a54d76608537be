import { type AnsibleGraph, GraphError } from "./graph.ts";
import { hostPattern } from "./host-range.ts";
import type { FileOptions } from "./ini.ts";

/** A YAML or JSON mapping. */
export type Mapping = Readonly<Record<string, unknown>>;

/** True for a mapping; false for a secret. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Reads a YAML inventory into the graph: groups with `hosts`, `vars` and `children`. Throws GraphError. */
export function readYamlInventory(
  data: unknown,
  graph: AnsibleGraph,
  options: FileOptions,
  notice: (text: string) => void,
): void {
  if (!isMapping(data)) throw new GraphError("it is not a mapping of groups");
  for (const [name, group] of Object.entries(data)) readGroup(name, group, graph, options, notice);
}

function readGroup(
  name: string,
  data: unknown,
  graph: AnsibleGraph,
  options: FileOptions,
  notice: (text: string) => void,
): void {
  const skip = (what: string): void => notice(`${options.file}: skipping ${what}`);
  if (data !== null && data !== undefined && !isMapping(data)) {
    skip(`the group ${name}: it is not a mapping`);
    return;
  }
  graph.addGroup(name);
  const sections = Object.entries(data ?? {}).map(([key, value]): [string, unknown] =>
    ["vars", "children", "hosts"].includes(key) && typeof value === "string" ? [key, { [value]: null }] : [key, value],
  );
  for (const [key, value] of sections) {
    if (["vars", "children", "hosts"].includes(key) && value !== null && !isMapping(value)) {
      throw new GraphError(`"${key}" of the group ${name} is not a mapping`);
    }
  }
  for (const [key, value] of sections) {
    if (!isMapping(value)) {
      if (value !== null) skip(`"${key}" of the group ${name}: it is not a mapping`);
    } else if (key === "vars") {
      for (const [variable, said] of Object.entries(value)) set(name, variable, said);
    } else if (key === "children") {
      for (const [child, below] of Object.entries(value)) {
        readGroup(child, below, graph, options, notice);
        graph.addChild(name, child);
      }
    } else if (key === "hosts") {
      for (const [pattern, vars] of Object.entries(value)) readHosts(pattern, vars);
    } else {
      skip(`"${key}" of the group ${name}: it is not hosts, vars or children`);
    }
  }

  function set(entity: string, variable: string, value: unknown): void {
    graph.set(entity, variable, { value: options.keep(variable, value), file: options.file });
  }

  function readHosts(pattern: string, said: unknown): void {
    const { hosts, port } = hostPattern(pattern);
    // An empty string, false and 0 mean that there are no vars.
    const vars = said === "" || said === false || said === 0 ? {} : (said ?? {});
    if (!isMapping(vars)) throw new GraphError(`the vars of the host ${pattern} are not a mapping`);
    for (const host of hosts) {
      graph.addHost(host, options.file, name, port);
      for (const [variable, value] of Object.entries(vars)) set(host, variable, value);
    }
  }
}
