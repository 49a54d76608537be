import { readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import { isModule } from "../playbook/user-file.ts";
import type { AnsibleFiles } from "./files.ts";
import type { AnsibleGraph } from "./graph.ts";
import { type FileOptions, readIni } from "./ini.ts";
import { isListing, isProgram, readListing, readProgram } from "./script.ts";
import { isMapping, readYamlInventory } from "./yaml-inventory.ts";

/**
 * Names that are skipped in a folder of inventories: hidden files, vars, and files left over by editors and package
 * managers.
 */
const ignored =
  /^\.|^(?:host_vars|group_vars|vars_plugins)$|(?:\.pyc|\.pyo|\.swp|\.bak|~|\.rpm|\.md|\.txt|\.rst|\.orig|\.ini|\.cfg|\.retry)$/;

/** The options for reading inventory sources. */
export interface SourceOptions {
  readonly files: AnsibleFiles;
  readonly signal: AbortSignal;
  readonly notice: (text: string) => void;
}

/**
 * Reads one Ansible inventory into the graph: a file, a program, or a folder of these, sorted by name. Throws
 * FurrowError E_INVENTORY, E_SECRET.
 */
export async function readSource(path: string, graph: AnsibleGraph, options: SourceOptions): Promise<void> {
  if (!statSync(path).isDirectory()) {
    await readFile(path, graph, options);
    return;
  }
  const all = readdirSync(path);
  for (const name of all.filter((name) => /^[^.].*\.ini$/.test(name))) {
    options.notice(
      `${join(path, name)} is not read: as in Ansible, files that end in .ini are skipped in a folder; rename it, or give its path with -i`,
    );
  }
  const names = all.filter((name) => !ignored.test(name));
  for (const name of names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
    await readSource(join(path, name), graph, options);
  }
}

async function readFile(path: string, graph: AnsibleGraph, { files, signal, notice }: SourceOptions): Promise<void> {
  if (isModule(path)) throw ownInventory(path);
  const { text, keep } = files.open(path);
  const options = { file: path, keep };
  try {
    if (isProgram(path)) {
      const read = (answer: string): unknown => files.yaml(answer, path);
      await readProgram(path, graph, { ...options, signal, read });
      return;
    }
    if (extname(path) === ".toml") throw isToml(path);
    const data = yamlOf(path, text, files);
    if (!("value" in data)) {
      readAsIni(text, graph, options, data.fault);
      return;
    }
    if (isListing(data.value)) {
      await readListing(data.value, graph, options, () => Promise.resolve({}));
      return;
    }
    if (isMapping(data.value) && typeof data.value["plugin"] === "string") throw isPlugin(path, data.value["plugin"]);
    readYamlInventory(data.value, graph, options, notice);
  } catch (error) {
    signal.throwIfAborted();
    throw files.fault(path, error);
  }
}

/** Reads a file as INI if it is not YAML, as Ansible does for every extension. If both fail, throws the YAML error. */
function readAsIni(text: string, graph: AnsibleGraph, options: FileOptions, fault: unknown): void {
  try {
    readIni(text, graph, options);
  } catch (error) {
    throw fault ?? error;
  }
}

/**
 * Reads the mapping in a YAML or JSON file. The result has no `value` if the file's extension is not one of YAML or
 * JSON, or if the file contains no mapping; the caller then reads the file as INI. `fault` is the YAML error of a file
 * that looks like YAML.
 */
function yamlOf(path: string, text: string, files: AnsibleFiles): { readonly value: unknown } | { fault?: unknown } {
  const ending = extname(path);
  if (ending !== "" && ending !== ".yml" && ending !== ".yaml" && ending !== ".json") return {};
  try {
    const value = files.yaml(text, path);
    return isMapping(value) && Object.keys(value).length > 0 ? { value } : {};
  } catch (error) {
    // A file without an extension is usually INI. If a line looks like YAML, the file is treated as broken YAML.
    return ending === "" && !/^(?:---|[\w-]+:\s*$)/m.test(text) ? {} : { fault: error };
  }
}

/** Ansible reads TOML only with an extra Python package; few inventories use it. */
function isToml(path: string): FurrowError {
  return new FurrowError("E_INVENTORY", {
    what: `${path} is a TOML inventory, which furrow does not read`,
    hint: `Convert it: ansible-inventory -i ${path} --list --export > hosts.json`,
  });
}

function ownInventory(path: string): FurrowError {
  return new FurrowError("E_INVENTORY", {
    what: `${path} is a furrow inventory in a folder that is read as an Ansible inventory`,
    hint: `Pass the file itself: -i ${path}`,
  });
}

/** furrow's own inventory sources, by the Ansible plugin that each one replaces. */
const ownInventories = [
  [/ec2/, "ec2Inventory"],
  [/gcp/, "gceInventory"],
  [/azure/, "azureInventory"],
  [/digitalocean/, "digitalOceanInventory"],
] as const;

function isPlugin(path: string, plugin: string): FurrowError {
  const own = ownInventories.find(([name]) => name.test(plugin))?.[1];
  return new FurrowError("E_INVENTORY", {
    what: `${path} configures Ansible's inventory plugin ${plugin}, which furrow does not run`,
    hint:
      own === undefined
        ? `Save its output to a file: ansible-inventory -i ${path} --list --export > hosts.json`
        : `Use ${own} in an inventory file, or save its output to a file: ansible-inventory -i ${path} --list --export > hosts.json`,
  });
}
