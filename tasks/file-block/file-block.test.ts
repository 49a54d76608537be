import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { reveal, secretOf } from "../../src/core/secrets/secret.ts";
import { explain } from "../../src/testing/index.ts";
import { dropBlock, markersOf, putBlock } from "./edit-block.ts";
import { fileBlock } from "./file-block.ts";

const markers = markersOf("# {mark} x");
const path = "/etc/hosts";
const hosts = { type: "file", mode: "0644", owner: "root", group: "root", text: "a\n" } as const;

describe("putBlock", () => {
  test.each([
    {
      title: "adds the block at the end",
      old: "a\n",
      block: "b\nc\n",
      anchor: {},
      text: "a\n# BEGIN x\nb\nc\n# END x\n",
    },
    { title: "adds the block to an empty file", old: "", block: "b", anchor: {}, text: "# BEGIN x\nb\n# END x\n" },
    { title: "adds an empty block", old: "a", block: "", anchor: {}, text: "a\n# BEGIN x\n# END x" },
    {
      title: "replaces the old block",
      old: "# BEGIN x\nb\n# END x\na",
      block: "c\nd",
      anchor: {},
      text: "# BEGIN x\nc\nd\n# END x\na",
    },
    {
      title: "replaces a longer block at the end",
      old: "# BEGIN x\nb\nb\n# END x",
      block: "c",
      anchor: {},
      text: "# BEGIN x\nc\n# END x",
    },
    {
      title: "adds the block to a file with CRLF",
      old: "a\r\nz\r\n",
      block: "b\n",
      anchor: { insertAfter: "^a" },
      text: "a\r\n# BEGIN x\r\nb\r\n# END x\r\nz\r\n",
    },
    {
      title: "adds the block at the beginning",
      old: "a\n",
      block: "b",
      anchor: { insertBefore: "BOF" },
      text: "# BEGIN x\nb\n# END x\na\n",
    },
    {
      title: "adds the block next to bytes that are not UTF-8",
      old: "\udcff\n",
      block: "b",
      anchor: {},
      text: "\udcff\n# BEGIN x\nb\n# END x\n",
    },
    {
      title: "leaves the block alone if it is already there",
      old: "# BEGIN x\nb\n# END x\na\n",
      block: "b\n",
      anchor: {},
      text: "# BEGIN x\nb\n# END x\na\n",
    },
  ])("$title", ({ old, block, anchor, text }) => {
    expect(putBlock(old, block, markers, anchor)).toBe(text);
    expect(putBlock(text, block, markers, anchor)).toBe(text);
    expect(dropBlock(text, markers)).not.toContain("# ");
  });

  test.each([
    {
      title: "a begin marker without an end marker",
      old: "# BEGIN x\nprecious\n",
      current: '"# BEGIN x": line 1; "# END x": nowhere',
    },
    {
      title: "an end marker above the begin marker",
      old: "# END x\n# BEGIN x\n",
      current: '"# BEGIN x": line 2; "# END x": line 1',
    },
    {
      title: "two blocks",
      old: "# BEGIN x\n# END x\n# BEGIN x\n# END x\n",
      current: '"# BEGIN x": line 1, line 3; "# END x": line 2, line 4',
    },
  ])("refuses $title", ({ old, current }) => {
    for (const act of [() => putBlock(old, "b", markers, {}), () => dropBlock(old, markers)]) {
      expect(act).toThrow(
        expect.objectContaining({
          code: "E_REFUSED",
          failure: expect.objectContaining({ current }) as object,
        }) as Error,
      );
    }
  });

  test("refuses a block that contains its own marker", () => {
    expect(() => putBlock("", "a\n# END x\n", markers, {})).toThrow(/contains its own marker: # END x/);
  });
});

test("removes a block at the end of a file without a final newline, and keeps the newlines before it", () => {
  expect(dropBlock("a\n# BEGIN x\nb\n# END x", markers)).toBe("a\n");
});

test("inserts a block into any file idempotently, and restores the original lines when it removes the block", () => {
  const content = fc.array(fc.constantFrom("a", "b", "\r\n", "\n", "\udcff")).map((parts) => parts.join(""));
  const anchor = fc.record({ insertAfter: fc.option(fc.constantFrom("^a", "EOF"), { nil: undefined }) });
  fc.assert(
    fc.property(content, content, anchor, (old, block, where) => {
      const put = putBlock(old, block, markers, where);
      expect(putBlock(put, block, markers, where)).toBe(put);
      const dropped = dropBlock(put, markers);
      expect(dropped.split(/\r?\n/).filter(Boolean)).toEqual(old.split(/\r?\n/).filter(Boolean));
    }),
    { numRuns: 2000 },
  );
});

describe("fileBlock", () => {
  test("inserts the block", () => {
    const { change, steps } = explain(fileBlock({ path, block: "b\n" }), { path: hosts });
    expect(change).toEqual({ "file:/etc/hosts": ["text"] });
    const text = "a\n# BEGIN managed by furrow\nb\n# END managed by furrow\n";
    expect(steps).toEqual([{ step: "writeFile", path, text, replaces: hosts.text }]);
    expect(explain(fileBlock({ path, block: "b\n" }), { path: { ...hosts, text } }).steps).toEqual([]);
    expect(explain(fileBlock({ path, state: "absent" }), { path: { ...hosts, text } }).steps).toEqual([
      { step: "writeFile", path, text: "a\n", replaces: text },
    ]);
  });

  test("removes nothing from a missing file, and refuses to add to a missing file", () => {
    expect(explain(fileBlock({ path, state: "absent" }), { path: absent }).steps).toEqual([]);
    expect(explain(fileBlock({ path, block: "b" }), { path: absent }).refusal?.code).toBe("no-file");
  });

  test("inserts a secret block without showing it or the rest of the file", () => {
    const call = fileBlock({ path, block: `key ${secretOf("h1dden", "key")}\n` });
    const now = { ...hosts, text: String(secretOf("other\n", "content")), seal: "sealed:x" };
    const { steps, change } = explain(call, { path: now });
    expect(JSON.stringify([steps, change])).not.toMatch(/h1dden|other/);
    expect(reveal((steps[0] as { text: string }).text)).toContain(
      "other\n# BEGIN managed by furrow\nkey h1dden\n# END",
    );
  });

  test.each([
    { title: "a marker without {mark}", input: { path, block: "", marker: "# x" }, expected: /one line with \{mark\}/ },
    { title: "no block", input: { path }, expected: /a string or a secret/ },
  ])("refuses params with $title", ({ input, expected }) => {
    const failure = expect.objectContaining({ expected: expect.stringMatching(expected) as string }) as object;
    expect(() => parseInput(fileBlock.card.params, input, {})).toThrow(expect.objectContaining({ failure }) as Error);
  });
});
