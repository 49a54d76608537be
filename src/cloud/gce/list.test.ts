import { expect, test } from "vitest";
import type { FurrowError } from "../../core/errors.ts";
import { readPage, refusePartial } from "./list.ts";

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

test("a list that Google calls incomplete is an error, even if it contains machines", () => {
  expect(asked([{ name: "lab" }], "PARTIAL_SUCCESS")).toThrow(/Google does not return the whole list/);
});

test("a zone without machines, and a list with a harmless warning, are complete", () => {
  expect(asked([], "NO_RESULTS_ON_PAGE")).not.toThrow();
  expect(asked([{ name: "lab" }], "DEPRECATED_RESOURCE_USED")).not.toThrow();
  expect(asked([])).not.toThrow();
});

const kind = "compute#instanceAggregatedList";

/** What is wrong with an answer. */
function wrongWith(answer: unknown): string | undefined {
  try {
    readPage(answer, kind, "list the instances of lab");
    return undefined;
  } catch (error) {
    return (error as FurrowError).failure.current;
  }
}

test.each([
  ["{}", {}],
  ["null", null],
  ["an empty list of no kind", { items: {} }],
  ["the list of another collection", { kind: "compute#subnetworkAggregatedList", items: {} }],
])("%s does not count as a project without machines", (_name, answer) => {
  expect(wrongWith(answer)).toMatch(/^incomplete answer: its kind is .+, not compute#instanceAggregatedList$/);
});

test("a list that names unreachable places, or calls itself incomplete, is an error", () => {
  expect(wrongWith({ kind, items: {}, unreachables: ["zones/europe-west3-a"] })).toMatch(/europe-west3-a: unreachable/);
  expect(wrongWith({ kind, items: {}, warning: { code: "UNREACHABLE", message: "later" } })).toBe("UNREACHABLE: later");
});

test("a list of the right kind without items is complete and empty", () => {
  expect(readPage({ kind }, kind, "list")).toEqual({ entries: [], next: "" });
  expect(readPage({ kind, items: { "zones/a": {} }, nextPageToken: "2" }, kind, "list")).toEqual({
    entries: [["zones/a", {}]],
    next: "2",
  });
});
