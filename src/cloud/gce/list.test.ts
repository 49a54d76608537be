import { expect, test } from "vitest";
import { refusePartial } from "./list.ts";

const asked = (instances: readonly object[], code?: string): (() => void) => {
  const warning = code === undefined ? {} : { warning: { code, message: "a zone does not answer", data: [] } };
  return () => refusePartial(["zones/europe-west3-a", { instances, ...warning }], "list the instances of lab");
};

test.each(["UNREACHABLE", "PARTIAL_SUCCESS", "LIST_OVERHEAD_QUOTA_EXCEED", "SOMETHING_NEW"])(
  "a zone that Google does not list, with the warning %s, does not count as a zone without machines",
  (code) => {
    expect(asked([], code)).toThrow(/Google does not return the whole list/);
  },
);

test("a list with machines that Google calls incomplete is an error", () => {
  expect(asked([{ name: "lab" }], "PARTIAL_SUCCESS")).toThrow(/Google does not return the whole list/);
});

test("a zone without machines, and a list with a harmless warning, are complete", () => {
  expect(asked([], "NO_RESULTS_ON_PAGE")).not.toThrow();
  expect(asked([{ name: "lab" }], "DEPRECATED_RESOURCE_USED")).not.toThrow();
  expect(asked([])).not.toThrow();
});
