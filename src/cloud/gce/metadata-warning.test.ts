import { expect, test, vi } from "vitest";
import { hideMetadataWarning } from "./metadata-warning.ts";

test("without credentials for Compute Engine, no Node warning follows the recap", () => {
  const seen: unknown[][] = [];
  const spy = vi.spyOn(process, "emitWarning").mockImplementation((...words: unknown[]) => void seen.push(words));
  try {
    hideMetadataWarning();
    hideMetadataWarning();
    process.emitWarning(
      "received unexpected error = All promises were rejected code = UNKNOWN",
      "MetadataLookupWarning",
    );
    process.emitWarning("another warning", "DeprecationWarning");
  } finally {
    spy.mockRestore();
  }
  expect(seen).toEqual([["another warning", "DeprecationWarning"]]);
});
