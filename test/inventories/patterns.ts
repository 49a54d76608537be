import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HostBook } from "../../src/cli/hosts.ts";
import { isFurrowError } from "../../src/core/errors.ts";
import { loadInventory } from "../../src/load/inventory/inventory-file.ts";
import { noCommandLine } from "../../src/load/vars/precedence.ts";

/** Inventories, keyed by file name, with host and group names that pattern matching could confuse. */
export const inventories: Readonly<Record<string, string>> = {
  plain: "lone\n[web]\nweb01\nweb02\nweb03\nweb04\n[db]\ndb1\ndb-old\n[east]\nweb01\ndb1\n[site:children]\nweb\ndb\n",
  dotted: "[a.b]\na.c\na.d\n[x-y]\na.b.c\nx-1\n[app]\napp1\napp2\nall1\n",
  "nested.yml": `
all:
  hosts: { c: , a: , }
  children:
    outer:
      hosts: { z1: , z2: }
      children:
        inner: { hosts: { b: , c: } }
    other: { hosts: { a: , u1: } }
`,
  twins: "[web]\nweb\nw2\n[w2]\nx\n[under]\nungrouped1\n",
};

const bases = [
  "all",
  "*",
  "web",
  "site",
  "east",
  "web0",
  "web01",
  "outer",
  "inner",
  "a.b",
  "x",
  "other",
  "w2",
  "nobody",
];
const endings = ["", "[0]", "[-1]", "[1]", "[-2]", "[9]", "[-9]", "[0:2]", "[1:]", "[1:9]", "[2:1]", "[0:0]", "[1:0]"];
const odd = [
  "[1-2]",
  "[1-]",
  "[0-1]",
  "[-3:-1]",
  "[:2]",
  "[:]",
  "[a]",
  "[]",
  "[",
  "]",
  "[1:2:3]",
  "[a-c]",
  "[!1]",
  "[12]",
];
const globs = [
  "w*",
  "web?1",
  "web0[!3]",
  "web0[13]",
  "*1",
  "[wd]*",
  "[!w]*",
  "[^w]*",
  "a*",
  "al*",
  "?ll",
  "u*",
  "*.b",
  "a.?",
];
const more = [
  "[z-a]*",
  "[]]*",
  "[w-]*",
  "x-*",
  "*-*",
  "w**",
  "web[a,b]",
  "web0{1,2}",
  "web01,",
  ",",
  "!web",
  "&web",
  "!a*",
];
const expressions = [
  "~web.*",
  "~web",
  "~(web|db).*1",
  "~.*[12]$",
  "~a",
  "~[wd]",
  "~^w",
  "~web0[1-3]",
  "~x\\-1",
  "~\\Aweb",
  "~(",
];
const evenMore = [
  "~(?i)WEB",
  "~(?P<n>web)",
  "~\\d",
  "~.*",
  "~",
  "~web01$|db1$",
  "~web[0]",
  "~w{1}",
  "~w{1,2}",
  "~\\w+\\d{2}$",
];
const joined = [
  "web:db", "web,db", "web:!web01", "web:&east", "web,!web01,&east", "all:!web:!db", "web[0:1],db", "web:db,lone",
  "web[0],web[-1]", "!web[0]:web", "web,&web[1:]", "web db", " web , db ", "*[1-2]:db", "all[0:2],!lone", "w*:!web0[1-3]",
  "web:nobody", "nobody,web", "web[9],db", "~web.*:!~.*1", "web:!~.*[12]$", "a.b:x-y", "a.b", "a.c", "web:!web", "w2", "!w2",
]; // prettier-ignore

/** The patterns that are tried with Ansible, on every inventory. */
export const patterns: readonly string[] = [
  ...bases.flatMap((base) => endings.map((end) => base + end)),
  ...["web", "web0", "*", "all", "inner"].flatMap((base) => odd.map((end) => base + end)),
  ...globs,
  ...globs.slice(0, 5).flatMap((glob) => [`${glob}[0]`, `${glob}[1:2]`]),
  ...more,
  ...expressions,
  ...evenMore,
  ...joined,
];

/** Writes an inventory into a folder. Returns its path. */
export function layInventory(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, inventories[name] ?? "");
  return path;
}

/** The hosts that furrow selects for each pattern, or the first line of its refusal. */
export async function selected(path: string): Promise<readonly (readonly string[] | string)[]> {
  const loaded = await loadInventory(path, { signal: new AbortController().signal });
  const book = new HostBook(loaded, noCommandLine, undefined, () => ({}));
  return patterns.map((pattern) => {
    try {
      return book.limited(pattern).map(({ name }) => name);
    } catch (error) {
      if (isFurrowError(error) && error.code === "E_PATTERN") return error.failure.what;
      throw error;
    }
  });
}

/**
 * Ansible's answers for one inventory: the hosts that each pattern selects, or null if Ansible fails or its own order
 * is random.
 */
export interface Answers {
  readonly inventory: string;
  readonly hosts: readonly (readonly string[] | null)[];
}

/**
 * Patterns for which furrow and Ansible select different hosts. Furrow may refuse a pattern, and may select nothing if
 * Ansible selects nothing.
 */
export function differences(answers: Answers, ours: readonly (readonly string[] | string)[]): string[] {
  return patterns.flatMap((pattern, index) => {
    const theirs = answers.hosts[index];
    const mine = ours[index];
    if (typeof mine === "string" || mine === undefined || theirs === undefined) return [];
    const same = theirs !== null && mine.toSorted().join(" ") === theirs.toSorted().join(" ");
    return same
      ? []
      : [`${answers.inventory} ${pattern}: ${mine.join(" ")}, Ansible ${theirs?.join(" ") ?? "refuses"}`];
  });
}
