import { readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import { isModule } from "../playbook/user-file.ts";
import type { AnsibleFiles } from "./files.ts";
import type { AnsibleGraph } from "./graph.ts";
import { type FileManner, readIni } from "./ini.ts";
import { isListing, isProgram, readListing, readProgram } from "./script.ts";
import { isMapping, readYamlInventory } from "./yaml-inventory.ts";

/** Names in a folder of inventories that are none: hidden ones, vars, and by ending what editors and packages leave. */
const ignored =
  /^\.|^(?:host_vars|group_vars|vars_plugins)$|(?:\.pyc|\.pyo|\.swp|\.bak|~|\.rpm|\.md|\.txt|\.rst|\.orig|\.ini|\.cfg|\.retry)$/;

/** What sources are read with. */
export interface SourcesManner {
  readonly files: AnsibleFiles;
  readonly signal: AbortSignal;
  readonly notice: (text: string) => void;
}

/**
 * Reads one inventory of Ansible into the graph: a file, a program, or a folder of these, by name. Throws FurrowError
 * E_INVENTORY, E_SECRET.
 */
export async function readSource(path: string, graph: AnsibleGraph, manner: SourcesManner): Promise<void> {
  if (!statSync(path).isDirectory()) {
    await readFile(path, graph, manner);
    return;
  }
  const names = readdirSync(path).filter((name) => !ignored.test(name));
  for (const name of names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
    await readSource(join(path, name), graph, manner);
  }
}

async function readFile(path: string, graph: AnsibleGraph, { files, signal, notice }: SourcesManner): Promise<void> {
  if (isModule(path)) throw ownInventory(path);
  const { text, keep } = files.open(path);
  const manner = { file: path, keep };
  try {
    if (isProgram(path)) {
      const read = (answer: string): unknown => files.yaml(answer, path);
      await readProgram(path, graph, { ...manner, signal, read });
      return;
    }
    if (extname(path) === ".toml") throw isToml(path);
    const data = yamlOf(path, text, files);
    if (!("value" in data)) {
      readAsIni(text, graph, manner, data.fault);
      return;
    }
    if (isListing(data.value)) {
      await readListing(data.value, graph, manner, () => Promise.resolve({}));
      return;
    }
    if (isMapping(data.value) && typeof data.value["plugin"] === "string") throw isPlugin(path, data.value["plugin"]);
    readYamlInventory(data.value, graph, manner, notice);
  } catch (error) {
    signal.throwIfAborted();
    throw files.fault(path, error);
  }
}

/** As YAML did not fit, INI is tried, as Ansible does, whatever the file's ending; where neither fits, YAML's fault counts. */
function readAsIni(text: string, graph: AnsibleGraph, manner: FileManner, fault: unknown): void {
  try {
    readIni(text, graph, manner);
  } catch (error) {
    throw fault ?? error;
  }
}

/**
 * The mapping in a file that may hold YAML; without one it is to be read as INI: for its ending, or because what is
 * there is no mapping. `fault` is set where it seems to be meant as YAML.
 */
function yamlOf(path: string, text: string, files: AnsibleFiles): { readonly value: unknown } | { fault?: unknown } {
  const ending = extname(path);
  if (ending !== "" && ending !== ".yml" && ending !== ".yaml" && ending !== ".json") return {};
  try {
    const value = files.yaml(text, path);
    return isMapping(value) && Object.keys(value).length > 0 ? { value } : {};
  } catch (error) {
    // A file without an ending is INI more often than not; one that begins like YAML is broken YAML.
    return ending === "" && !/^(?:---|[\w-]+:\s*$)/m.test(text) ? {} : { fault: error };
  }
}

/** Ansible reads TOML only with a Python package beside it; few inventories are written so. */
function isToml(path: string): FurrowError {
  return new FurrowError("E_INVENTORY", {
    what: `${path} is an inventory in TOML, which furrow does not read`,
    hint: `Convert it: ansible-inventory -i ${path} --list --export > hosts.json`,
  });
}

function ownInventory(path: string): FurrowError {
  return new FurrowError("E_INVENTORY", {
    what: `${path} is an inventory of furrow's own, in a folder that is read as one of Ansible`,
    hint: `Name the file itself: -i ${path}`,
  });
}

function isPlugin(path: string, plugin: string): FurrowError {
  const own = /ec2/.test(plugin) ? "ec2Inventory" : /gcp/.test(plugin) ? "gceInventory" : undefined;
  return new FurrowError("E_INVENTORY", {
    what: `${path} configures the inventory plugin ${plugin} of Ansible, which furrow does not run`,
    hint:
      own === undefined
        ? `Write what it finds into a file: ansible-inventory -i ${path} --list --export > hosts.json`
        : `Use ${own} in an inventory file, or write what it finds into a file: ansible-inventory -i ${path} --list --export > hosts.json`,
  });
}
