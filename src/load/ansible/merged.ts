import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { AnsibleFiles } from "./files.ts";
import type { AnsibleGraph, SaidVars } from "./graph.ts";
import { varsOf } from "./vars-files.ts";

/** All variables, grouped by Ansible's layers. */
export interface AnsibleLayers {
  /** Variables of the group `all`: from inventories, then from group_vars, which win. */
  readonly all: SaidVars;
  /** Variables of each group: from inventories, then from group_vars, which win. */
  readonly groups: ReadonlyMap<string, SaidVars>;
  /** Variables of each host: from inventories, then from host_vars, which win. */
  readonly hosts: ReadonlyMap<string, SaidVars>;
  /** The values that Ansible uses for each host, merged from all layers. */
  readonly merged: ReadonlyMap<string, SaidVars>;
}

/**
 * Merges variables as Ansible does (docs: "Understanding variable precedence", items 3 to 10). Later layers win:
 * inventory vars of `all`, inventory vars of groups, group_vars of `all`, group_vars of groups, the host's own vars,
 * host_vars. Groups are ordered by depth, priority and name. `paths` are the sources in order. The group_vars and
 * host_vars folders are next to each source, or inside the source if that is a folder.
 */
export function mergeLayers(graph: AnsibleGraph, paths: readonly string[], files: AnsibleFiles): AnsibleLayers {
  const folders = paths.map((path) => (statSync(path).isDirectory() ? path : dirname(path)));
  const depths = graph.depths();
  const order = [...graph.groups.values()]
    .filter(({ name }) => name !== "all")
    .toSorted(
      (a, b) =>
        (depths.get(a.name) ?? 0) - (depths.get(b.name) ?? 0) ||
        a.priority - b.priority ||
        (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
    );
  const beside = new Map<string, SaidVars>();
  const read = (folder: string, kind: "group_vars" | "host_vars", name: string): SaidVars => {
    const key = `${folder}/${kind}/${name}`;
    const known = beside.get(key) ?? varsOf(folder, kind, name, files);
    beside.set(key, known);
    return known;
  };
  const own = (name: string): SaidVars => graph.groups.get(name)?.vars ?? new Map();
  const besideOf = (kind: "group_vars" | "host_vars", name: string): SaidVars =>
    over(...folders.map((folder) => read(folder, kind, name)));
  const memberships = graph.groupsOfHosts();
  const merged = new Map<string, SaidVars>();
  for (const [host, vars] of graph.hosts) {
    const names = order.filter(({ name }) => memberships.get(host)?.has(name)).map(({ name }) => name);
    merged.set(
      host,
      over(
        own("all"),
        ...names.map(own),
        besideOf("group_vars", "all"),
        ...folders.flatMap((folder) => names.map((name) => read(folder, "group_vars", name))),
        vars,
        besideOf("host_vars", host),
      ),
    );
  }
  return {
    all: over(own("all"), besideOf("group_vars", "all")),
    groups: new Map(order.map(({ name }) => [name, over(own(name), besideOf("group_vars", name))])),
    hosts: new Map([...graph.hosts].map(([name, vars]) => [name, over(vars, besideOf("host_vars", name))])),
    merged,
  };
}

function over(...layers: readonly SaidVars[]): SaidVars {
  return new Map(layers.flatMap((layer) => [...layer]));
}
