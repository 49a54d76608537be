import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RecordReader } from "./records.ts";

const journal = [
  "n B 7 8\n",
  "n R 0\n0 a=1\nn is not one of our records\n\nn r 0\n",
  "n T 1\n",
  "n O 1 0 o 0 12\nn S 1 0 9\n\n\nn\nn S 1 0 0\n",
  "n O 1 1 e 0 5\n12\n45n S 1 1 3\n",
  "n Z 2 lease\n",
  "n X\n",
].join("");

test("reads each record once from a journal that is cut at any byte and resumed, and does not count live output as records", () => {
  const whole = [...new RecordReader("n").read(Buffer.from(`n J 0\n${journal}`))];
  expect(whole.map(({ record }) => record)).toEqual("lines task output step output step stopped end".split(" "));
  fc.assert(
    fc.property(fc.array(fc.nat({ max: journal.length }), { maxLength: 6 }), fc.nat({ max: 9 }), (cuts, size) => {
      const reader = new RecordReader("n");
      const seen: unknown[] = [];
      const hear = (text: string): void => {
        for (let at = 0; at < text.length; at += size + 1) {
          seen.push(...reader.read(Buffer.from(text.slice(at, at + size + 1))));
        }
      };
      for (const length of [...cuts, journal.length]) {
        reader.restart();
        const from = reader.taken;
        // Live output of a running step is sent only between records.
        hear(`n H boot\nn J ${from}\nn V 1 0 o 0 4\nn X\n${journal.slice(from, from + length)}`);
      }
      const told = seen.filter((record) => {
        const { record: name, item, step } = record as { record: string; item?: number; step?: number };
        return name !== "boot" && !(name === "output" && item === 1 && step === 0 && isShown(record));
      });
      expect(told).toEqual(whole);
    }),
  );
});

function isShown(record: unknown): boolean {
  return (record as { data: Buffer }).data.toString() === "n X\n";
}
