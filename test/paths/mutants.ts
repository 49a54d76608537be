import type { Edit } from "../engine/mutants/mutant-place.ts";

/**
 * A faulty model of file names: one part of the source is replaced. The comparison on real trees must detect each
 * mutant.
 */
export interface NameMutant extends Edit {
  /** The first tree to compare, for a mutant that few trees detect; default 1. */
  readonly seed?: number;
  /**
   * True if the mutant is detected by a comparison with runs of one task at a time, not with the independent program.
   */
  readonly byWay?: true;
}

export const nameMutants: readonly NameMutant[] = [
  {
    name: "treat two names of one file as two files",
    in: "fact",
    from: "if (this.isPlain || isControllerFact(fact)) return fact;",
    to: "if (this.isPlain || !isControllerFact(fact)) return fact;",
    seed: 470,
  },
  {
    name: "ignore the target of a link",
    in: "fileKind",
    from: 'return value !== absent && value.type === "link" ? value.target : undefined;',
    to: "return undefined;",
    seed: 470,
  },
  {
    name: "ignore bind mounts",
    in: "shownAt",
    from: "if (this.#sources.size === 0) return path;",
    to: "if (path !== '') return path;",
    seed: 2370,
  },
  {
    name: "predict no link in check mode",
    in: "#predictLink",
    from: "if (this.#links.get(place) === target) return;",
    to: "if (by !== '') return;",
    seed: 60,
  },
  {
    name: "keep a link in the model although a tree removes it",
    in: "predict",
    from: "const links = value === knownAfterApply ? undefined : linksBelow?.(value);",
    to: "const links = value === linksBelow ? {} : undefined;",
    seed: 390,
  },
  {
    name: "put no guard on the path of a link's target",
    in: "resolutionsOf",
    from: "const behind = namesTarget(fact) ?",
    to: "const behind = !namesTarget(fact) ?",
    seed: 4590,
  },
  {
    name: "put no guard on the directories above the files of a task that runs as another user",
    in: "#asked",
    from: "...parentDirectoriesOf(task, this.#setting.knownUser, facts),",
    to: "",
    byWay: true,
  },
];
