import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Step } from "../../../core/host/step.ts";
import { shellsHere } from "../fixtures/local-shells.fixture.ts";
import { performSteps, stepCodes } from "../fixtures/perform-steps.fixture.ts";
import { runsOf } from "./make-together.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-together-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, more: Partial<Extract<Step, { step: "writeFile" }>> = {}): Step => ({
  step: "writeFile",
  path,
  text: `content of ${path}\n`,
  ...more,
});

describe("consecutive steps", () => {
  test("write files together only if they have the same folder and owner", () => {
    const steps: Step[] = [
      { step: "makeDirectory", path: "/a", parents: true },
      ...["/a/1", "/a/2", "/a/3"].map((path) => write(path)),
      write("/b/1"),
      write("/b/2"),
      ...["/c/1", "/c/2", "/c/3"].map((path) => write(path, { user: "web" })),
      ...["/d/1", "/d/two words", "/d/-3"].map((path) => write(path)),
      ...["/e/1", "/e/2", "/e/1"].map((path) => write(path)),
      ...["/f/1", "/f/2", "/f/3"].map((path) => write(path, { text: "x".repeat(70_000) })),
    ];
    const runs = runsOf(steps);
    expect(runs.filter(({ together }) => together)).toMatchObject([{ first: 1, steps: { length: 3 } }]);
    expect(runs.flatMap(({ steps: list }) => list)).toEqual(steps);
  });
});

describe.each(shellsHere)("files written together in %s", (shell) => {
  /** Runs a frame of these steps. Returns the exit codes in its records, by step. */
  function perform(steps: readonly Step[]): string[] {
    return stepCodes(performSteps(shell, [steps]));
  }
  const inFolder = (name: string): string => {
    const path = join(folder, `${shell}-${name}`);
    mkdirSync(path, { recursive: true });
    return path;
  };

  test("have the right content and mode if they are new", () => {
    const place = inFolder("new");
    const odd = "\0'\\n%s\r\xff\n$(id)";
    const steps = [
      write(`${place}/a`),
      write(`${place}/b.conf`, { mode: "0600", text: odd }),
      write(`${place}/.hidden`, { mode: "0755", text: "" }),
      write(`${place}/d`, { mode: "0600" }),
    ];
    expect(perform(steps)).toEqual(["0 0", "1 0", "2 0", "3 0"]);
    expect(readdirSync(place).toSorted()).toEqual([".hidden", "a", "b.conf", "d"]);
    expect(readFileSync(`${place}/a`, "utf8")).toBe(`content of ${place}/a\n`);
    expect(readFileSync(`${place}/b.conf`, "utf8")).toBe(odd);
    expect(["a", "b.conf", ".hidden", "d"].map((name) => statSync(`${place}/${name}`).mode & 0o777)).toEqual([
      0o644, 0o600, 0o755, 0o600,
    ]);
  });

  test("keep the existing attributes that the step does not set, and replace leftovers of an earlier attempt", () => {
    const place = inFolder("there");
    writeFileSync(`${place}/b`, "old", { mode: 0o640 });
    mkdirSync(`${place}/.furrow.new`);
    writeFileSync(`${place}/.furrow.new/half`, "");
    expect(perform(["a", "b", "c"].map((name) => write(`${place}/${name}`)))).toEqual(["0 0", "1 0", "2 0"]);
    expect(readdirSync(place).toSorted()).toEqual(["a", "b", "c"]);
    expect(statSync(`${place}/b`).mode & 0o777).toBe(0o640);
    expect(readFileSync(`${place}/b`, "utf8")).toBe(`content of ${place}/b\n`);
  });

  test("are all written except the one that cannot be written", () => {
    const place = inFolder("blocked");
    mkdirSync(`${place}/b`);
    expect(perform(["a", "b", "c"].map((name) => write(`${place}/${name}`)))).toEqual(["0 0", "1 1"]);
    expect(readdirSync(place).toSorted()).toEqual(["a", "b"]);
    expect(perform(["a", "b", "c"].map((name) => write(`${place}/none/${name}`))).slice(0, 1)).not.toEqual(["0 0"]);
    expect(existsSync(`${place}/none`)).toBe(false);
  });
});
