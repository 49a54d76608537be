import { expect, test } from "vitest";
import type { Bound } from "../../../core/authoring/evaluate.ts";
import { placeOfChange } from "./stored-places.ts";

const bound = (kind: string, now: unknown, wanted: unknown, match: Bound["match"] = "differs"): Bound => ({
  fact: { kind, key: "x", facets: [] },
  id: `${kind}:x`,
  now,
  wanted,
  bound: wanted,
  match,
});
const unit = { state: "stopped", enabled: false, masked: false };

test.each([
  ["a unit that is enabled", bound("unit", unit, { enabled: true }), "/etc/systemd/system"],
  ["a unit that is masked", bound("unit", unit, { masked: true }), "/etc/systemd/system"],
  ["a unit that is only started", bound("unit", unit, { state: "started", enabled: false }), undefined],
  ["a unit whose mask is removed", bound("unit", { ...unit, masked: true }, { masked: false }), undefined],
  ["a package that is installed", bound("package", { present: false }, { present: true }), "/usr/share"],
  [
    "a package that is only marked",
    bound("package", { present: true, manual: false }, { present: true, manual: true }),
    undefined,
  ],
  ["a group that already has the desired state", bound("group", { gid: 5 }, { gid: 5 }, "same"), undefined],
  ["a file", bound("file", { type: "file" }, { mode: "0600" }), undefined],
])("finds the directory, if any, that must be writable before a change to %s", (_, change, path) => {
  expect(placeOfChange(change)?.path).toBe(path);
});
