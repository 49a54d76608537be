import { seeded } from "../seeded.ts";
import type { PlainTask } from "./plain-files.ts";

/** One entry of a tree, in the order of creation. Paths are relative to the case's root. */
export type Made =
  | { readonly made: "directory"; readonly path: string }
  | { readonly made: "file"; readonly path: string; readonly text: string; readonly mode: number }
  | { readonly made: "link"; readonly path: string; readonly target: string }
  | { readonly made: "hardLink"; readonly path: string; readonly of: string }
  | { readonly made: "bind"; readonly path: string; readonly of: string; readonly readOnly?: boolean };

/** A tree, and the tasks in its play. */
export interface RandomCase {
  readonly seed: number;
  readonly tree: readonly Made[];
  readonly tasks: readonly PlainTask[];
}

const directories = ["real", "real/sub", "next", "next/sub", "d", "d/sub", "e"];
const links = ["current", "app", "real/up", "d/in", "e/there"];
const leaves = ["f", "g", "conf"];

/** The case for a seed. `~/` in a path or target stands for the root. */
export function randomCase(seed: number): RandomCase {
  const below = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const chance = (percent: number): boolean => below(100) < percent;
  const made = new Map<string, Made>();
  const put = (one: Made): void => {
    const parent = one.path.slice(0, Math.max(0, one.path.lastIndexOf("/")));
    if (!made.has(one.path) && (parent === "" || made.get(parent)?.made === "directory")) made.set(one.path, one);
  };
  for (const path of directories) if (chance(75)) put({ made: "directory", path });
  for (const path of [...links, "next", "e"]) if (chance(55)) put({ made: "link", path, target: target(path) });
  for (const directory of ["real", "real/sub", "next", "next/sub", "d", "e"]) {
    for (const leaf of leaves) {
      if (chance(50))
        put({ made: "file", path: `${directory}/${leaf}`, text: text(), mode: pick([0o644, 0o644, 0o600]) });
    }
  }
  const files = [...made.values()].filter((one) => one.made === "file").map(({ path }) => path);
  if (files.length > 0 && chance(35)) put({ made: "hardLink", path: `${pick(["real", "d", "e"])}/h`, of: pick(files) });
  const places = [...made.values()].filter((one) => one.made === "directory").map(({ path }) => path);
  if (places.length > 1 && chance(20)) {
    const [path, of] = [pick(places), pick(places)];
    if (path !== of && !`${of}/`.startsWith(`${path}/`) && !`${path}/`.startsWith(`${of}/`))
      made.set(`${path}#`, { made: "bind", path, of });
  }
  freeze();

  function target(from: string): string {
    const to = pick([...directories.slice(0, 5), ...directories.slice(0, 5), "current", "app", "nowhere", from]);
    const up = "../".repeat(from.split("/").length - 1);
    return chance(30) ? `~/${to}` : `${up}${to}`;
  }

  function text(): string {
    return Array.from({ length: below(3) + 1 }, () => `${pick(["k=1", "k=2", "a", "b", "c"])}\n`).join("");
  }

  /** Makes a directory read-only in some trees. A separate random generator keeps all other trees the same. */
  function freeze(): void {
    const own = seeded(seed + 1_000_000);
    if (own(100) >= 15 || places.length === 0 || [...made.values()].some((one) => one.made === "bind")) return;
    const path = places[own(places.length)] as string;
    made.set("#", { made: "bind", path, of: path, readOnly: true });
  }

  /** Most of the paths contain links and mounts. */
  function folder(): string {
    const there = [...made.values()].filter((one) => one.made === "directory" || one.made === "link");
    return chance(80) && there.length > 0 ? pick(there).path : pick([...links, ...directories]);
  }

  function leaf(): string {
    return `${folder()}/${pick([...leaves, "h", "new"])}`;
  }

  function task(): PlainTask {
    switch (below(19)) {
      case 0:
      case 1:
      case 2:
        return {
          task: "file",
          path: `~/${leaf()}`,
          content: text(),
          ...(chance(40) && { mode: pick(["0644", "0600"]) }),
        };
      case 3:
        return {
          task: "directory",
          path: `~/${chance(50) ? folder() : `${folder()}/made`}`,
          ...(chance(40) && { mode: pick(["0755", "0700"]) }),
        };
      case 4:
      case 5:
      case 6: {
        const path = chance(85) ? pick(links) : pick(["next", "e", "real/sub", "new"]);
        return { task: "link", path: `~/${path}`, target: target(path) };
      }
      case 7:
        return {
          task: "absent",
          path: `~/${chance(60) ? leaf() : pick([...links, ...directories])}`,
          recursive: chance(70),
        };
      case 8:
      case 9:
      case 10:
        return {
          task: "line",
          path: `~/${leaf()}`,
          line: pick(["k=1", "k=2", "a", "b"]),
          create: chance(85),
          ...(chance(40) && { match: "^k=" }),
        };
      case 11:
        return { task: "noLine", path: `~/${leaf()}`, line: pick(["k=1", "a", "b"]) };
      case 12:
        return { task: "block", path: `~/${leaf()}`, block: text(), create: chance(85) };
      case 13: {
        const path = leaf();
        return {
          task: "command",
          act: { does: "append", path: `~/${path}`, text: pick(["a", "k=1"]) },
          creates: `~/${chance(70) ? path : leaf()}`,
          declared: chance(50),
        };
      }
      case 14: {
        const path = pick(links);
        return { task: "command", act: { does: "relink", path: `~/${path}`, target: target(path) }, declared: false };
      }
      case 15: {
        const path = pick([...directories, ...links]);
        return {
          task: "command",
          act: { does: "move", path: `~/${path}`, to: "~/moved" },
          creates: "~/moved",
          declared: false,
        };
      }
      case 16:
      case 17:
        return { task: "tree", path: `~/${folder()}`, source: pick(["one", "two"]), purge: chance(30) };
      default: {
        const to = folder();
        return {
          task: "unarchive",
          archive: "archive.tar",
          to: `~/${to}`,
          creates: `~/${chance(60) ? to : folder()}/packed`,
        };
      }
    }
  }
  const tasks = Array.from({ length: 2 + below(4) }, task);
  return withOddNames({ seed, tree: [...made.values()], tasks });
}

/** Names that mean something in a pattern or in a shell, with the names that they replace. */
const oddNames: readonly (readonly [plain: string, odd: string])[] = [
  ["d", "*"],
  ["e", "[a]"],
  ["real", "**"],
  ["f", "?"],
  ["conf", "{a,b}"],
  ["new", "!x"],
];

/** In some cases, gives odd names to some of the paths. A separate random generator keeps all other cases the same. */
function withOddNames(whole: RandomCase): RandomCase {
  const own = seeded(whole.seed + 3_000_000);
  if (own(100) >= 25) return whole;
  const odd = new Map(oddNames.filter(() => own(2) === 0));
  const renamed = (path: string): string =>
    path
      .split("/")
      .map((part) => odd.get(part) ?? part)
      .join("/");
  const paths = ["path", "target", "of", "to", "creates"];
  return JSON.parse(JSON.stringify(whole), (key, value: unknown) =>
    paths.includes(key) && typeof value === "string" ? renamed(value) : value,
  ) as RandomCase;
}
