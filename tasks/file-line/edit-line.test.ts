import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dropLines, putLine } from "./edit-line.ts";
import { joinLines, splitLines } from "./text-lines.ts";

describe("putLine", () => {
  test.each([
    { title: "adds the line to an empty file", old: "", line: "b", edit: {}, text: "b\n" },
    { title: "adds the line at the end", old: "a\n", line: "b", edit: {}, text: "a\nb\n" },
    { title: "leaves the line if it is already there", old: "b\na\n", line: "b", edit: {}, text: "b\na\n" },
    {
      title: "adds the line after a last line without a line break, and adds no line break at the end",
      old: "a",
      line: "b",
      edit: {},
      text: "a\nb",
    },
    { title: "adds the line to a file with CRLF", old: "a\r\nc\r\n", line: "b", edit: {}, text: "a\r\nc\r\nb\r\n" },
    {
      title: "adds the line to a file with CRLF whose last line has no line break",
      old: "a\r\nc",
      line: "b",
      edit: {},
      text: "a\r\nc\r\nb",
    },
    {
      title: "replaces the line that matches",
      old: "a\n#b 1\nc\n",
      line: "b 2",
      edit: { match: "^#?b" },
      text: "a\nb 2\nc\n",
    },
    {
      title: "replaces the last line that matches",
      old: "b 1\nb 3\n",
      line: "b 2",
      edit: { match: "^b" },
      text: "b 1\nb 2\n",
    },
    {
      title: "replaces a line with CRLF",
      old: "b 1\r\nc\r\n",
      line: "b 2",
      edit: { match: "^b.*1$" },
      text: "b 2\r\nc\r\n",
    },
    {
      title: "replaces a line only once, even if the new line does not match",
      old: "x\nx\n",
      line: "y",
      edit: { match: "^x" },
      text: "x\ny\n",
    },
    {
      title: "adds the line after the last match",
      old: "a\nb\na\nc\n",
      line: "n",
      edit: { insertAfter: "^a" },
      text: "a\nb\na\nn\nc\n",
    },
    {
      title: "adds the line before the first match",
      old: "b\na\na\n",
      line: "n",
      edit: { insertBefore: "^a" },
      text: "b\nn\na\na\n",
    },
    {
      title: "adds the line at the end if the anchor matches nothing",
      old: "b\n",
      line: "n",
      edit: { insertBefore: "^a" },
      text: "b\nn\n",
    },
    { title: "adds the line at the beginning", old: "b", line: "n", edit: { insertBefore: "BOF" }, text: "n\nb" },
    {
      title: "adds the line next to bytes that are not UTF-8",
      old: "caf\udce9\na\n",
      line: "b",
      edit: {},
      text: "caf\udce9\na\nb\n",
    },
    { title: "adds the line next to blank lines", old: "\n\na", line: "b", edit: {}, text: "\n\na\nb" },
  ])("$title", ({ old, line, edit, text }) => {
    expect(putLine(old, line, edit)).toBe(text);
    expect(putLine(text, line, edit)).toBe(text);
  });

  test("refuses a line with a line break", () => {
    expect(() => putLine("", "a\nb", {})).toThrow(/line break/);
  });
});

describe("dropLines", () => {
  test.each([
    { title: "drops all lines that equal the given line", old: "b\na\nb\n", line: "b", match: undefined, text: "a\n" },
    { title: "keeps lines that only contain the given line", old: "bb\n", line: "b", match: undefined, text: "bb\n" },
    { title: "drops all lines that match", old: "b1\na\nb2", line: undefined, match: "^b", text: "a\n" },
    { title: "drops the only line in a file", old: "b\n", line: "b", match: undefined, text: "" },
    { title: "drops a last line without a line break", old: "a\ngone", line: "gone", match: undefined, text: "a\n" },
    {
      title: "drops the line before a last line without a line break",
      old: "gone\na",
      line: "gone",
      match: undefined,
      text: "a",
    },
    { title: "drops a line with CRLF", old: "a\r\nb\r\n", line: "b", match: undefined, text: "a\r\n" },
  ])("$title", ({ old, line, match, text }) => {
    expect(dropLines(old, line, match)).toBe(text);
  });

  // This test would never finish if each removal copied all the other lines.
  test("drops 200,000 lines of a large file", { timeout: 60_000 }, () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => `${at}\n`).join("");
    expect(dropLines(`first\n${lines}last`, undefined, "^[0-9]+$")).toBe("first\nlast");
  });
});

const content = fc
  .array(fc.constantFrom("a", "b", "#b", "\r", "\n", "\r\n", "\n", "\udcff"))
  .map((parts) => parts.join(""));
const word = fc.constantFrom("a", "b", "#b", "ab", "");
const pattern = fc.option(fc.constantFrom("^#?b", "a", "^", "b$", "^$"), { nil: undefined });

describe("editing lines in any file", () => {
  test("splitting loses nothing", () => {
    fc.assert(
      fc.property(content, (text) => {
        expect(joinLines(splitLines(text))).toBe(text);
      }),
    );
  });
  test("putting and dropping a line are idempotent", () => {
    fc.assert(
      fc.property(content, word, pattern, pattern, pattern, (text, line, match, insertAfter, insertBefore) => {
        const put = putLine(text, line, { match, insertAfter, insertBefore });
        expect(putLine(put, line, { match, insertAfter, insertBefore })).toBe(put);
        expect(splitLines(put).some((found) => found.text === line)).toBe(true);
        const dropped = dropLines(text, line, match);
        expect(dropLines(dropped, line, match)).toBe(dropped);
        expect(splitLines(dropped).some((found) => found.text === line)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
