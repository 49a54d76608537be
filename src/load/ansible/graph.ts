/** A value and the file that set it. */
export interface Said {
  readonly value: unknown;
  /** The file's path, as the user would write it. */
  readonly file: string;
}

/** Variables by name. */
export type SaidVars = Map<string, Said>;

/** A group, built up while Ansible inventories are read. */
export interface AnsibleGroup {
  readonly name: string;
  readonly vars: SaidVars;
  readonly hosts: string[];
  readonly children: string[];
  readonly parents: string[];
  priority: number;
}

/** A problem in an inventory; the caller adds the file and the line. */
export class GraphError extends Error {}

/** Refuses a name with a NUL byte or another control character, which a terminal would not show. */
function refuseControls(noun: "host" | "group", name: string): void {
  if (/\p{Cc}/u.test(name))
    throw new GraphError(`the name of the ${noun} ${JSON.stringify(name)} contains a control character`);
}

/**
 * The hosts and groups of one inventory, collected from its sources in order. The graph is exactly as lenient as
 * Ansible: if a host and a group share a name, a variable of the host is assigned to the group, and naming a group
 * declares it.
 */
export class AnsibleGraph {
  readonly groups = new Map<string, AnsibleGroup>();
  readonly hosts = new Map<string, SaidVars>();

  constructor() {
    this.addGroup("all");
    this.addGroup("ungrouped");
    this.addChild("all", "ungrouped");
  }

  addGroup(name: string): void {
    if (name === "") throw new GraphError("a group has an empty name");
    refuseControls("group", name);
    if (this.groups.has(name)) return;
    this.groups.set(name, { name, vars: new Map(), hosts: [], children: [], parents: [], priority: 1 });
  }

  addHost(name: string, file: string, group?: string, port?: number): void {
    if (name === "") throw new GraphError("a host has an empty name");
    refuseControls("host", name);
    if (!this.hosts.has(name)) {
      this.hosts.set(name, new Map(port === undefined ? [] : [["ansible_port", { value: port, file }]]));
    }
    const members = group === undefined ? undefined : this.groups.get(group)?.hosts;
    if (members !== undefined && !members.includes(name)) members.push(name);
  }

  set(entity: string, name: string, said: Said): void {
    const group = this.groups.get(entity);
    if (group !== undefined && name === "ansible_group_priority") {
      const priority = Number.parseInt(String(said.value), 10);
      if (Number.isNaN(priority)) throw new GraphError(`ansible_group_priority of the group ${entity} is not a number`);
      group.priority = priority;
      return;
    }
    const vars = group?.vars ?? this.hosts.get(entity);
    if (vars === undefined) throw new GraphError(`"${entity}" is neither a group nor a host`);
    vars.set(name, said);
  }

  /** Adds a group to a parent group; if no group has the name `child`, adds the host with that name. */
  addChild(parent: string, child: string): void {
    const above = this.groups.get(parent);
    const below = this.groups.get(child);
    if (above === undefined) throw new GraphError(`"${parent}" is not a group`);
    if (below === undefined) {
      if (!this.hosts.has(child)) throw new GraphError(`"${child}" is neither a group nor a host`);
      if (!above.hosts.includes(child)) above.hosts.push(child);
      return;
    }
    if (above === below) throw new GraphError(`the group ${parent} contains itself`);
    if (above.children.includes(child)) return;
    if (this.ancestors([parent]).has(child))
      throw new GraphError(`the groups ${parent} and ${child} contain each other`);
    above.children.push(child);
    below.parents.push(parent);
  }

  /** All ancestors of these groups. */
  ancestors(names: readonly string[]): Set<string> {
    const seen = new Set<string>();
    const queue = [...names];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      for (const parent of this.groups.get(name)?.parents ?? []) {
        if (!seen.has(parent)) queue.push(parent);
        seen.add(parent);
      }
    }
    return seen;
  }

  /**
   * Must be called after the last source has been read. Puts every group below `all`, and hosts without a group into
   * `ungrouped`.
   */
  settle(): void {
    for (const { name, parents } of this.groups.values()) {
      if (name !== "all" && parents.length === 0) this.addChild("all", name);
    }
    const ungrouped = this.groups.get("ungrouped")?.hosts ?? [];
    const grouped = this.groupsOfHosts();
    for (const host of this.hosts.keys()) {
      const mine = grouped.get(host) ?? new Set();
      const others = [...mine].some((name) => name !== "all" && name !== "ungrouped");
      if (others && ungrouped.includes(host)) ungrouped.splice(ungrouped.indexOf(host), 1);
      else if (!others && !ungrouped.includes(host)) ungrouped.push(host);
    }
  }

  /** All groups of each host, including `all` if it is an ancestor of one of them. */
  groupsOfHosts(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (const { name, hosts } of this.groups.values()) {
      const groups = hosts.length === 0 ? [] : [name, ...this.ancestors([name])];
      for (const host of hosts) found.set(host, new Set([...(found.get(host) ?? []), ...groups]));
    }
    return found;
  }

  /** The depth of each group: the length of the longest path from `all`. */
  depths(): Map<string, number> {
    const depths = new Map<string, number>();
    const depthOf = (name: string): number => {
      const known = depths.get(name);
      if (known !== undefined) return known;
      const depth = Math.max(-1, ...(this.groups.get(name)?.parents ?? []).map(depthOf)) + 1;
      depths.set(name, depth);
      return depth;
    };
    for (const name of this.groups.keys()) depthOf(name);
    return depths;
  }
}
