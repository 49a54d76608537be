import { expect, test } from "vitest";
import { canNest } from "./nesting.ts";

test.each([
  ["n2-standard-16", "X86_64", true],
  ["n4-standard-16", "X86_64", true],
  ["c3-standard-22", "", true],
  ["e2-standard-16", "X86_64", false],
  ["n2d-standard-16", "X86_64", false],
  ["m3-ultramem-32", "X86_64", false],
  ["c4a-standard-16", "ARM64", false],
  ["f1-micro", "X86_64", false],
])("%s (%s) supports nested virtualization: %s", (name, architecture, can) => {
  expect(canNest({ name, architecture, cpus: 16, memoryMb: 65_536 })).toBe(can);
});
