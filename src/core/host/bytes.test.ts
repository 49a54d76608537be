import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBytes, encodeText } from "./bytes.ts";

test("preserves all bytes when they are converted to text and back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect([...encodeText(decodeBytes(bytes))]).toEqual([...bytes]);
    }),
    { numRuns: 2000 },
  );
});

test("preserves text with invalid UTF-8", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      [0xff],
      [0xc3],
      [0xe2, 0x82],
      [0xf0, 0x9f, 0x92],
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
      [0xef, 0xbb, 0xbf],
    ),
    fc.string({ unit: "grapheme", maxLength: 4 }).map((text) => [...Buffer.from(text)]),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const bytes = Uint8Array.from(pieces.flat());
      expect([...encodeText(decodeBytes(bytes))]).toEqual([...bytes]);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  { what: "a byte that is not UTF-8", bytes: [0x61, 0xff], text: "a\udcff" },
  { what: "a truncated character", bytes: [0xe2, 0x82], text: "\udce2\udc82" },
  { what: "a byte order mark", bytes: [0xef, 0xbb, 0xbf, 0x61], text: "\ufeffa" },
  { what: "a surrogate written as UTF-8", bytes: [0xed, 0xb2, 0x80], text: "\udced\udcb2\udc80" },
  { what: "an emoji next to an invalid byte", bytes: [0xf0, 0x9f, 0x98, 0x80, 0x80], text: "😀\udc80" },
])("converts $what to a unique string", ({ bytes, text }) => {
  expect(decodeBytes(Uint8Array.from(bytes))).toBe(text);
  expect([...encodeText(text)]).toEqual(bytes);
});
