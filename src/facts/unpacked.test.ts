import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { absent } from "../core/symbols.ts";
import { directoryFunction, unpacked, unpackedKind, unpackedPath } from "./unpacked.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-unpacked-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([[["sh", "-c"]], [["bash", "-c"]], [["busybox", "sh", "-c"]]])(
  "what was unpacked is remembered for the directory itself, under %s",
  (shell) => {
    const directory = join(mkdtempSync(join(folder, "x")), "it's here");
    const question = unpacked(directory, "/a.tar");
    const stamps = join(folder, "stamps");
    const script = (text: string): string =>
      execFileSync(shell[0] ?? "", [...shell.slice(1), text], { encoding: "utf8" });
    const read = (): unknown => {
      const text = unpackedKind.read([{ ...question, number: 0 }]).replaceAll(dirname(unpackedPath("", "")), stamps);
      const lines = { archive: script(text).trim().slice("0 archive=".length) };
      const value = unpackedKind.parse(lines, question);
      expect(unpackedKind.print?.(value, question)).toEqual(lines);
      return value;
    };
    const note = (): string =>
      script(
        `${directoryFunction}\nmkdir -p ${stamps}; { directory_of "${directory}"; echo sha256:abc; } >${unpackedPath(directory, "/a.tar", stamps)}`,
      );

    expect(read()).toBe(absent);
    mkdirSync(directory);
    expect(read()).toBe(absent);
    note();
    writeFileSync(join(directory, "new"), "");
    expect(read()).toEqual({ archive: "sha256:abc" });
    rmSync(directory, { recursive: true });
    expect(read()).toBe(absent);
    // Another inode even where the file system gives numbers out again.
    mkdirSync(`${directory}.other`);
    mkdirSync(directory);
    expect(read()).toBe(absent);
  },
);
