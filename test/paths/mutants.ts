/** A wrong picture of names: one exact piece of the source replaced. The comparison on real trees must notice each. */
export interface NameMutant {
  readonly name: string;
  /** Below `src/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const names = "engine/names.ts";

export const nameMutants: readonly NameMutant[] = [
  {
    name: "take two names of one thing for two things",
    file: names,
    from: "if (this.isPlain || isControllerFact(fact)) return fact;",
    to: "if (this.isPlain || !isControllerFact(fact)) return fact;",
  },
  {
    name: "drop what a link disturbs",
    file: "facts/file.ts",
    from: 'return value !== absent && value.type === "link" ? value.target : undefined;',
    to: "return undefined;",
  },
  {
    name: "ignore bind mounts",
    file: names,
    from: "if (this.#mounts.size === 0) return path;",
    to: "if (path !== '') return path;",
  },
  {
    name: "ignore hard links",
    file: names,
    from: "if (this.#inodes.size === 0) return [];",
    to: "if (patterns.length >= 0) return [];",
  },
  {
    name: "predict no link in check mode",
    file: names,
    from: "if (this.#links.get(place) === target) return;",
    to: "if (by !== '') return;",
  },
  {
    name: "leave the links that a tree takes along",
    file: names,
    from: "const links = value === knownAfterApply ? undefined : linksBelow?.(value);",
    to: "const links = value === linksBelow ? {} : undefined;",
  },
];
