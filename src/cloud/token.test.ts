import { expect, test } from "vitest";
import { launchToken, launchUuid } from "./token.ts";

const parts = { sort: "instance", place: "eu-1", name: "a", params: { type: "m8i", disks: [1, 2] }, generation: 0 };

test("gives the same launch the same token, regardless of the order of its params", () => {
  expect(launchToken({ ...parts, params: { disks: [1, 2], type: "m8i" } })).toBe(launchToken(parts));
  expect(launchToken(parts)).toMatch(/^[0-9a-f]{64}$/);
  expect(launchUuid(parts)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test.each([{ sort: "volume" }, { place: "eu-2" }, { name: "b" }, { params: {} }, { generation: 1 }])(
  "gives a different launch a different token: %o",
  (other) => {
    expect(launchToken({ ...parts, ...other })).not.toBe(launchToken(parts));
    expect(launchUuid({ ...parts, ...other })).not.toBe(launchUuid(parts));
  },
);
