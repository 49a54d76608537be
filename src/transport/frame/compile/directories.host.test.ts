import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Step } from "../../../core/host/step.ts";
import type { DirectoryStep } from "./directories.ts";
import { shellsHere } from "../fixtures/local-shells.fixture.ts";
import { performSteps } from "../fixtures/perform-steps.fixture.ts";
import { runsOf } from "./make-together.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-directories-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const make = (path: string, more: Partial<DirectoryStep> = {}): DirectoryStep => ({
  step: "makeDirectory",
  path,
  parents: true,
  ...more,
});

/** Performs these steps as one item, or each as its own item. Returns the reported exit codes. */
function perform(shell: string, steps: readonly Step[], apart: boolean): (string | undefined)[] {
  const said = performSteps(shell, apart ? steps.map((step) => [step]) : [steps]);
  return [...said.matchAll(/nonce S \d+ \d+ (\d+)$/gm)].map(([, code]) => code);
}

/** Lists everything below a path: names, types, modes, owners, groups. */
function seen(place: string): string {
  return spawnSync("find", [place, "-printf", "%P %y %m %U %G %l\n"], { encoding: "utf8" })
    .stdout.split("\n")
    .toSorted()
    .join("\n");
}

interface Row {
  readonly name: string;
  readonly more?: Partial<DirectoryStep>;
  readonly paths?: readonly string[];
  /** Prepares the path before the steps run. */
  readonly before?: (place: string) => void;
}

const odd = ["a b", "-x", "$(id)", "it's", "*", "ü\nline"];
const rows: readonly Row[] = [
  { name: "new directories" },
  { name: "new directories with a mode", more: { mode: "0750" } },
  { name: "new directories with owner, group and mode", more: { mode: "0700", owner: "daemon", group: "games" } },
  { name: "new directories with only a group", more: { group: "games" } },
  { name: "odd names", paths: odd },
  { name: "a missing parent folder", paths: ["none/a", "none/b", "none/c"] },
  {
    name: "a directory that exists with different attributes",
    before: (place) => mkdirSync(`${place}/top/b`, { recursive: true, mode: 0o700 }),
  },
  { name: "a parent folder with the set-group-ID bit", more: { mode: "0755" }, before: handDown },
  { name: "a parent folder with the set-group-ID bit, and no attributes given", before: handDown },
  { name: "directories with the set-group-ID bit", more: { mode: "2755", group: "games" } },
  { name: "an unknown owner", more: { owner: "nobody-has-it" } },
  {
    name: "an unknown owner, and an empty directory that exists",
    more: { owner: "nobody-has-it" },
    before: (place) => mkdirSync(`${place}/top/b`, { recursive: true }),
  },
  {
    name: "a file instead of the directory",
    before: (place) => {
      mkdirSync(`${place}/top`);
      writeFileSync(`${place}/top/b`, "");
    },
  },
  {
    name: "a link instead of the directory",
    before: (place) => {
      mkdirSync(`${place}/top`);
      mkdirSync(`${place}/elsewhere`, { mode: 0o700 });
      symlinkSync(`${place}/elsewhere`, `${place}/top/b`);
    },
  },
  {
    name: "a dangling link in the way",
    before: (place) => {
      mkdirSync(`${place}/top`);
      symlinkSync(`${place}/none`, `${place}/top/b`);
    },
  },
];

function handDown(place: string): void {
  chownSync(place, 0, 60);
  chmodSync(place, 0o2755);
}

describe.each(shellsHere)("directories created together in %s are the same as if created one by one:", (shell) => {
  test.each(rows)("$name", ({ name, more = {}, paths = ["top", "top/a", "top/b", "top/b/c"], before }) => {
    const [together, alone] = ["together", "alone"].map((way) => {
      const place = join(folder, shell, name, "place");
      rmSync(place, { recursive: true, force: true });
      mkdirSync(place, { recursive: true });
      before?.(place);
      const steps = paths.map((path) => make(`${place}/${path}`, more));
      return { codes: perform(shell, steps, way === "alone"), seen: seen(place) };
    });
    expect(together).toEqual(alone);
  });
});

describe("consecutive directories", () => {
  test("are created together if they have the same owner, group and mode", () => {
    const steps: Step[] = [
      ...["/a", "/a/b", "/c"].map((path) => make(path, { mode: "0755" })),
      ...["/d", "/e"].map((path) => make(path)),
      ...["/f", "/g", "/h"].map((path) => make(path, { mode: "2755" })),
      ...["/i", "/j", "/k"].map((path) => make(path, { user: "web" })),
      ...["/l", "/m", "/n"].map((path) => make(path, { parents: false })),
      ...["/o", "/p", "/o"].map((path) => make(path)),
    ];
    const runs = runsOf(steps);
    expect(runs.filter(({ together }) => together)).toMatchObject([{ first: 0, steps: { length: 3 } }]);
    expect(runs.flatMap(({ steps: list }) => list)).toEqual(steps);
  });
});
