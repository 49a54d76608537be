import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { type KindAnswer, readKind } from "../../testing/read-kind.ts";
import { entries, entriesKind, type Entries } from "./entries.ts";
import { fileKind } from "./file.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-entries-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([["sh"], ["busybox sh"], ["bash"]])(
  "reads the time at which the names in a folder last changed, in %s",
  async (shell) => {
    const options = { shell: [...shell.split(" "), "-c"] };
    writeFileSync(join(folder, "name"), "");
    const [there, missing] = await readKind([entries(folder), entries(join(folder, "missing"))], options);
    const { changed } = (there as KindAnswer).value as Entries;
    const real = statSync(folder, { bigint: true }).ctimeNs / 1000n;
    const wholeSecond = shell.startsWith("busybox") ? (real / 1_000_000n) * 1_000_000n + 999_999n : real;
    expect([real, wholeSecond]).toContain(BigInt(changed));
    expect(missing?.value).toBe(absent);
    expect(entriesKind.print?.(there?.value as Entries, entries(folder))).toEqual(there?.lines);
  },
);

test("a change affects the names in a folder if a file is added or removed, but not if a file is only changed", () => {
  const there = { type: "file", mode: "0644", owner: "root", group: "root" } as const;
  expect(fileKind.touches?.("/etc/a", absent, there)).toContain("entries:/etc");
  expect(fileKind.touches?.("/a", there, absent)).toContain("entries:/");
  expect(fileKind.touches?.("/etc/a", there, { ...there, mode: "0600" })).not.toContain("entries:/etc");
});
