import { describe } from "vitest";
import { noCertificates } from "./one-guard.ts";
import { testCells } from "./test-cells.ts";

describe.skipIf(noCertificates)("no guard allows a run after a bad answer", () => {
  testCells(0, 1);
});
