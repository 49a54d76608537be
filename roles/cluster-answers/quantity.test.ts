import { expect, test } from "vitest";
import { quantityOf } from "./quantity.ts";

test.each([
  ["250m", 0.25],
  ["2", 2],
  ["1.5", 1.5],
  [".5", 0.5],
  ["16Gi", 16 * 2 ** 30],
  ["2310M", 2.31e9],
  ["4k", 4000],
  ["1e3", 1000],
  ["128974848", 128_974_848],
  ["1288490188800m", 1_288_490_188.8],
])("%s is %d", (text, number) => expect(quantityOf(text)).toBeCloseTo(number, 3));

test.each(["", "Gi", "1 Gi", "1g", "1KiB", "--1", "1e", "0x10"])("%j is not a quantity", (text) =>
  expect(quantityOf(text)).toBeUndefined(),
);
