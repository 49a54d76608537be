import { seeded } from "../seeded.ts";
import type { Case } from "./case.ts";

/** A group may contain only groups that follow it in this list, so no group contains itself. */
const groups = ["a", "b", "c", "d", "web"] as const;
const sections = [...groups, "ungrouped", "all"] as const;
const hosts = ["h1", "h2", "h3", "h4", "w[1:2]"] as const;
const vars = ["x", "y", "z"] as const;

/**
 * Inventories with one or two sources and few names, so that the same var is set in many places. These inventories test
 * which of Ansible's layers wins. The same seed always generates the same inventories.
 */
export function randomCases(count: number, seed: number): Case[] {
  const random = new RandomInventory(seeded(seed));
  return Array.from({ length: count }, (_, index) => random.make(`random ${seed} ${index}`));
}

class RandomInventory {
  readonly #below: (limit: number) => number;

  constructor(below: (limit: number) => number) {
    this.#below = below;
  }

  make(name: string): Case {
    const files: Record<string, string> = {};
    const inventories: string[] = [];
    for (let folder = 0; folder <= this.#below(2); folder += 1) {
      const isYaml = this.#below(2) === 0;
      const path = `${folder}/hosts${isYaml ? ".yml" : ""}`;
      files[path] = isYaml ? this.#yaml() : this.#ini();
      inventories.push(path);
      for (const group of sections) {
        if (this.#below(4) === 0)
          files[`${folder}/group_vars/${group}.yml`] = `${this.#one(vars)}: of ${group} ${folder}\n`;
      }
      for (const host of ["h1", "h2", "w1"]) {
        if (this.#below(5) === 0) files[`${folder}/host_vars/${host}`] = `${this.#one(vars)}: of ${host} ${folder}\n`;
      }
    }
    return { name, files, inventories };
  }

  #one<T>(items: readonly T[]): T {
    const item = items[this.#below(items.length)];
    if (item === undefined) throw new TypeError("nothing to choose from");
    return item;
  }

  #some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.#below(most + 1) }, make);
  }

  #inside(group: string): readonly string[] {
    const index = (groups as readonly string[]).indexOf(group);
    return group === "ungrouped" ? [] : groups.slice(index + 1);
  }

  #ini(): string {
    // Unlike Ansible, furrow refuses two different values for the same var of a host within one group.
    const listed = new Set<string>();
    const parts = this.#some(8, () => {
      const group = this.#one(sections);
      const kind = this.#one(["hosts", "hosts", "vars", "vars", "children"]);
      if (kind === "hosts") {
        const lines = this.#some(3, () => {
          const host = this.#one(hosts);
          const said = this.#below(2) ? ` ${this.#one(vars)}=${this.#below(99)}` : "";
          const isNew = !listed.has(`${group} ${host}`);
          listed.add(`${group} ${host}`);
          return host + (isNew ? said : "");
        });
        return [`[${group}]`, ...lines];
      }
      if (kind === "children") {
        const inside = this.#inside(group);
        return [`[${group}:children]`, ...(inside.length === 0 ? [] : this.#some(2, () => this.#one(inside)))];
      }
      const said = this.#some(2, () => `${this.#one(vars)}=${group} ${this.#below(9)}`);
      const priority = this.#below(4) === 0 ? [`ansible_group_priority=${this.#below(4)}`] : [];
      return [`[${group}:vars]`, ...said, ...priority];
    });
    // Every group is declared somewhere, and there is at least one host.
    return [["h0"], ...parts, ...groups.map((group) => [`[${group}]`])].flat().join("\n");
  }

  #yaml(): string {
    const top = this.#some(3, () => this.#one(sections)).map((name) => [name, this.#group(name)] as const);
    return JSON.stringify({ all: { hosts: { h0: null } }, ...Object.fromEntries(top) });
  }

  #group(name: string): object {
    const inside = this.#inside(name);
    const members = this.#some(
      2,
      () => [this.#one(hosts), this.#below(2) ? { [this.#one(vars)]: this.#below(99) } : null] as const,
    );
    const children = inside.length === 0 ? [] : this.#some(2, () => this.#one(inside));
    return {
      hosts: { h0: null, ...Object.fromEntries(members) },
      ...(this.#below(3) === 0 && { vars: { [this.#one(vars)]: `yaml ${name}` } }),
      ...(children.length > 0 && {
        children: Object.fromEntries(children.map((child) => [child, this.#below(4) ? this.#group(child) : null])),
      }),
    };
  }
}
