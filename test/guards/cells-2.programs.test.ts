import { describe } from "vitest";
import { noCertificates } from "./one-guard.ts";
import { testCells } from "./test-cells.ts";

describe.skipIf(noCertificates)("no guard allows anything that it cannot see", () => {
  testCells(1);
});
