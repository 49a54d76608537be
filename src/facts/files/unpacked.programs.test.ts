import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { directoryFunctions, unpacked, unpackedKind, unpackedPath } from "./unpacked.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-unpacked-"));
afterAll(() => rmSync(folder, { recursive: true }));

// busybox stat does not report birth times.
mkdirSync(join(folder, "busybox"));
writeFileSync(join(folder, "busybox", "stat"), '#!/bin/sh\nexec busybox stat "$@"\n', { mode: 0o755 });
const withoutBirth = `PATH=${join(folder, "busybox")}:$PATH\n`;

function remembered(
  shell: readonly string[],
  before = "",
): { read: () => unknown; note: () => void; directory: string } {
  const at = mkdtempSync(join(folder, "x"));
  const directory = join(at, "it's here");
  const stamps = join(at, "stamps");
  const question = unpacked(directory, "/a.tar");
  const script = (text: string): string =>
    execFileSync(shell[0] ?? "", [...shell.slice(1), `${before}${text}`], { encoding: "utf8" });
  return {
    directory,
    read: () => {
      const text = unpackedKind.read([{ ...question, number: 0 }]).replaceAll(dirname(unpackedPath("", "")), stamps);
      const lines = { archive: script(text).trim().slice("0 archive=".length) };
      const value = unpackedKind.parse(lines, question);
      expect(unpackedKind.print?.(value, question)).toEqual(lines);
      return value;
    },
    note: () =>
      script(
        `${directoryFunctions}\nmkdir -p ${stamps}; { directory_of "${directory}"; echo sha256:abc; } >${unpackedPath(directory, "/a.tar", stamps)}`,
      ),
  };
}

/**
 * Removes a directory and creates it again until the file system gives the new directory the inode number of the old
 * one.
 */
function makeAgain(directory: string): boolean {
  const old = statSync(directory).ino;
  for (let count = 0; count < 100; count += 1) {
    rmSync(directory, { recursive: true });
    mkdirSync(directory);
    if (statSync(directory).ino === old) return true;
  }
  return false;
}

describe.each([[["sh", "-c"]], [["bash", "-c"]], [["busybox", "sh", "-c"]]])(
  "the record of an unpacked archive, under %s",
  (shell) => {
    test.each([
      ["birth times", ""],
      ["no birth times", withoutBirth],
    ])("is valid only for the same directory, on a host with %s", (_, before) => {
      const { directory, read, note } = remembered(shell, before);
      expect(read()).toBe(absent);
      mkdirSync(directory);
      expect(read()).toBe(absent);
      writeFileSync(join(directory, "a: b: c "), "");
      note();
      writeFileSync(join(directory, "0"), "");
      expect(read()).toEqual({ archive: "sha256:abc" });
      rmSync(directory, { recursive: true });
      expect(read()).toBe(absent);
      mkdirSync(directory);
      expect(read()).toBe(absent);
      // The next directory may get the inode number of the first one.
      makeAgain(directory);
      expect(read()).toBe(absent);
    });

    test.each([
      ["birth times", ""],
      ["no birth times", withoutBirth],
    ])("is not valid for a new directory that got the old one's inode number within a second, with %s", (_, before) => {
      const { directory, read, note } = remembered(shell, before);
      mkdirSync(directory);
      writeFileSync(join(directory, "old"), "");
      note();
      expect(read()).toEqual({ archive: "sha256:abc" });
      makeAgain(directory);
      expect(read()).toBe(absent);
    });
  },
);

test("keeps the record of an empty archive if birth times are unknown", () => {
  const { directory, read, note } = remembered(["sh", "-c"], withoutBirth);
  mkdirSync(directory);
  note();
  expect(read()).toEqual({ archive: "sha256:abc" });
});
