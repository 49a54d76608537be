import { describe } from "vitest";
import { noCertificates } from "./one-guard.ts";
import { testCells } from "./test-cells.ts";

describe.skipIf(noCertificates)("no guard allows a run after a bad answer", () => {
  // The whole table takes minutes, so only the suite `long` tests all of it.
  testCells(0, 14);
});
