import { expect, test } from "vitest";
import { keyFits, sizesOf } from "./shape.ts";

test.each([
  ["10GB-65536GB", [10, 65_536]],
  ["500GB-10TB", [500, 10_240]],
  ["", undefined],
  ["any", undefined],
])("reads the sizes that a disk type accepts: %s", (validSizes, sizes) => {
  expect(sizesOf({ name: "pd-ssd", validSizes })).toEqual(sizes);
});

test.each([
  ["europe-west3", true],
  ["europe-west4", false],
  ["global", true],
  ["europe", true],
])("a key in %s fits a disk in europe-west3-a: %s", (location, fits) => {
  expect(keyFits(`projects/p/locations/${location}/keyRings/r/cryptoKeys/k`, "europe-west3-a")).toBe(fits);
});
