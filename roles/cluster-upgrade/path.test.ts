import { expect, test } from "vitest";
import { pathProblem } from "./path.ts";

test.each([
  ["v1.8.1", "v1.8.2"],
  ["v1.8.1", "v1.9.0"],
  ["v1.9.3", "v1.10.0"],
  ["v1.8.1", "v1.8.1"],
  ["v1.8.1", "v1.9.0-rc1"],
  ["v1.9.0-rc2", "v1.9.0-rc10"],
  ["v1.9.0-rc1", "v1.9.0"],
])("goes from %s to %s", (from, to) => {
  expect(pathProblem(from, to)).toBeUndefined();
});

test.each([
  ["v1.8.1", "v1.8.0", "v1.8.0 is older than v1.8.1"],
  ["v1.10.0", "v1.9.9", "cannot be downgraded"],
  ["v1.9.0", "v1.9.0-rc1", "v1.9.0-rc1 is older"],
  ["v1.9.0-rc10", "v1.9.0-rc2", "is older"],
  ["v1.7.1", "v1.9.0", "upgrade to v1.8 first"],
  ["v1.9.0", "v2.0.0", "more than one minor version above"],
  ["v1.9.0", "v2.10.0", "more than one minor version above"],
  [
    "v1.8.0-rc1",
    "v1.8.1",
    "v1.8.0-rc1 is a release candidate, which Harvester upgrades only to v1.8.0 or a later candidate for it",
  ],
  ["v1.8-head", "v1.8.1", "v1.8-head is not a release"],
  ["dev", "v1.8.1", "dev is not a release"],
  ["v1.8.1", "v1.8.2garbage", "v1.8.2garbage is not a release"],
  ["v1.8.1", "v1.8.2/../x", "is not a release"],
])("does not go from %s to %s", (from, to, says) => {
  expect(pathProblem(from, to)).toContain(says);
});
