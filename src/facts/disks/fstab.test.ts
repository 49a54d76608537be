import { describe, expect, test } from "vitest";
import { fstabEntries, type FstabEntry, fstabWith } from "./fstab.ts";

const entry: FstabEntry = {
  source: "UUID=1",
  path: "/mnt/a b",
  fileSystem: "ext4",
  options: "defaults,nofail",
  check: 2,
};
const printed = String.raw`UUID=1 /mnt/a\040b ext4 defaults,nofail 0 2`;
const others = "# comment\n\nproc\t/proc proc defaults 0 0\n";

describe("fstab", () => {
  test.each([
    { is: "was empty", before: "", after: `${printed}\n` },
    { is: "lacked the line", before: others, after: `${others}${printed}\n` },
    { is: "lacked the final newline", before: "a /a ext4", after: `a /a ext4\n${printed}\n` },
    { is: "was already correct", before: `${others}${printed}\n`, after: `${others}${printed}\n` },
    {
      is: "was correct but had different whitespace",
      before: `UUID=1\t${String.raw`/mnt/a\040b/`}   ext4\tdefaults,nofail 0  2\n${others}`,
      after: `UUID=1\t${String.raw`/mnt/a\040b/`}   ext4\tdefaults,nofail 0  2\n${others}`,
    },
    {
      is: "had another source",
      before: String.raw`/dev/sdb1 /mnt/a\040b ext4 defaults 0 0` + `\n${others}`,
      after: `${printed}\n${others}`,
    },
    {
      is: "had three lines for the path",
      before: String.raw`/dev/sdb1 /mnt/a\040b ext4` + `\n${others}${printed}\n${printed}\n`,
      after: `${others}${printed}\n`,
    },
    { is: "had the line as a comment", before: `#${printed}\n`, after: `#${printed}\n${printed}\n` },
  ])("contains the line exactly once after a change if it $is before", ({ before, after }) => {
    expect(fstabWith(before, entry.path, entry)).toBe(after);
    expect(fstabWith(after, entry.path, entry)).toBe(after);
    expect(fstabEntries(after, entry.path)).toEqual([entry]);
  });

  test("loses all lines for a removed path and keeps the others", () => {
    expect(fstabWith(`${printed}\n${others}${printed}\n`, entry.path, undefined)).toBe(others);
    expect(fstabWith(others, entry.path, undefined)).toBe(others);
  });

  test("keeps backslashes and tabs in a path", () => {
    const odd = { ...entry, path: "/mnt/a\\b\tc" };
    expect(fstabEntries(fstabWith("", odd.path, odd), odd.path)).toEqual([odd]);
  });
});
