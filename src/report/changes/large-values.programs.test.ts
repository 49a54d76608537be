import { expect, test } from "vitest";
import { changeLines } from "./changes.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { Difference } from "../../core/facts/compare.ts";
import type { FactChange } from "../../core/events.ts";
import { paintFor } from "../text/colours.ts";

function change(fact: string, ...differences: readonly Difference[]): FactChange {
  return { fact, differences, secret: false };
}

function shown(changes: readonly FactChange[], title: string, diff = false): string[] {
  return changeLines(changes, title, { diff, mode: "check", paint: paintFor(false) });
}

const shownFile = (difference: Difference, diff = false): string =>
  shown([change("file:/a", difference)], "file /a", diff).join("\n");

// Comparing the whole text would take more than three minutes and 1 GB of memory.
test("one changed line of a 30 MB text is shown without comparing the whole text", { timeout: 600_000 }, () => {
  const text = (line: string): string =>
    `${"x".repeat(29)}\n`.repeat(500_000) + line + `${"y".repeat(29)}\n`.repeat(500_000);
  const difference = { path: "text", from: text("old\n"), to: text("new\n") };
  expect(shownFile(difference)).toContain("1 line added, 1 line removed");
  expect(shownFile(difference, true)).toMatch(/@@ -499998,7 \+499998,7 @@[^]*-old[^]*\+new/);
});

test("a large text that becomes empty, or that replaces an empty one, is shown as a line count only", () => {
  const many = "a\n".repeat(100_000);
  expect(shownFile({ path: "text", from: many, to: "" })).toBe("text  100000 lines removed");
  expect(shownFile({ path: "text", from: "", to: many }, true)).toBe("text  100000 lines added, too many to show");
});

// When the code searched the entire other list for each item, the comparison never finished.
test("two lists of 200,000 items are compared", { timeout: 60_000 }, () => {
  const list = (letter: string): string[] => Array.from({ length: 200_000 }, (_, at) => `${letter}${at}`);
  const difference = { path: "groups", from: ["old", ...list("a")], to: [...list("a"), "new"] };
  expect(shownFile(difference)).toBe("groups\n  - old\n  + new");
});

test("a large text in which every line differs is shown as line counts only", () => {
  const difference = { path: "text", from: "a\n".repeat(100_000), to: "b\n".repeat(90_000) };
  expect(shownFile(difference, true)).toContain("100000 lines → 90000 lines, too many to show");
});

// When each removed directory was compared with every other name, the test took a minute.
test("a tree is shown quickly even if 100,000 directories are removed from it", { timeout: 60_000 }, () => {
  const names = Array.from({ length: 100_000 }, (_, at) => `d${at}/file`);
  const all = names.map((name) =>
    change(`removal:/srv/${name.slice(0, -5)}`, { path: "", from: { type: "directory" }, to: absent }),
  );
  const whole = change("tree:/srv", { path: "names", from: names, to: [] });
  expect(shown([whole, ...all], "directory tree /srv").at(-1)).toBe("and 99980 more: 99980 removed; --diff shows all");
  expect(shown(all, "a task")).toHaveLength(100_000);
});

// When the code copied the list of preceding elements for each element, the test took 40 seconds.
test("XML text is compared field by field even if an element is repeated 60,000 times", { timeout: 60_000 }, () => {
  const xml = (times: number): string => `<r>${"<a/>".repeat(times)}</r>`;
  expect(shownFile({ path: "text", from: xml(60_000), to: xml(60_001) })).toBe("text  1 field added");
});

test("JSON and XML text is compared line by line if it is nested too deeply", () => {
  const json = (inside: string): string => "[".repeat(100_000) + inside + "]".repeat(100_000);
  const xml = (inside: string): string => "<a>".repeat(30_000) + inside + "</a>".repeat(30_000);
  for (const nested of [json, xml])
    expect(shownFile({ path: "text", from: nested(""), to: nested("1") })).toBe("text  1 line added, 1 line removed");
});
