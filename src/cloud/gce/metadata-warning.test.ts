import { expect, test } from "vitest";
import { hideMetadataWarning } from "./metadata-warning.ts";

test("without credentials for Compute Engine, no warning of Node follows the recap", () => {
  const original = process.emitWarning;
  const seen: unknown[][] = [];
  process.emitWarning = (...words: unknown[]) => void seen.push(words);
  try {
    hideMetadataWarning();
    hideMetadataWarning();
    process.emitWarning(
      "received unexpected error = All promises were rejected code = UNKNOWN",
      "MetadataLookupWarning",
    );
    process.emitWarning("another warning", "DeprecationWarning");
  } finally {
    process.emitWarning = original;
  }
  expect(seen).toEqual([["another warning", "DeprecationWarning"]]);
});
