import { describe, expect, test } from "vitest";
import { fieldsIn, type FieldSet, isExactly } from "./field-set.ts";

const leaf: FieldSet = {};
const containers: FieldSet = {
  "f:spec": {
    "f:containers": {
      'k:{"name":"web"}': {
        ".": leaf,
        "f:name": leaf,
        "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": leaf, "f:containerPort": leaf } },
      },
    },
  },
};
const live = {
  spec: {
    containers: [
      { name: "log", image: "log:1" },
      { name: "web", image: "web:1", ports: [{ containerPort: 80, protocol: "TCP" }] },
    ],
  },
};
const pod = (ports: readonly object[]): object => ({ spec: { containers: [{ name: "web", ports }] } });

describe("fieldsIn", () => {
  test("finds the items of lists by their keys, and names fields as people write them", () => {
    expect(fieldsIn(containers, live)).toEqual([
      { name: "spec.containers[name=web].name", at: ["spec", "containers", 1, "name"], value: "web" },
      {
        name: "spec.containers[name=web].ports[containerPort=80,protocol=TCP].containerPort",
        at: ["spec", "containers", 1, "ports", 0, "containerPort"],
        value: 80,
      },
    ]);
  });

  test("puts brackets around a key that contains dots, and reports which fields the object lacks", () => {
    const set = { "f:metadata": { "f:finalizers": { 'v:"a/b"': leaf }, "f:labels": { "f:example.com/x": leaf } } };
    expect(fieldsIn(set, { metadata: { finalizers: ["c", "a/b"] } })).toEqual([
      { name: "metadata.finalizers[a/b]", at: ["metadata", "finalizers", 1], value: "a/b" },
      { name: "metadata.labels[example.com/x]", at: undefined, value: undefined },
    ]);
  });
});

describe("isExactly", () => {
  test("accepts an object that omits list keys with defaults, even if the list also has other managers' items", () => {
    expect(isExactly(containers, pod([{ containerPort: 80 }]), live)).toBe(true);
  });

  test.each([
    ["another value", { "f:data": { "f:a": leaf } }, { data: { a: "1" } }, { data: { a: "2" } }],
    ["a field that is new", { "f:data": { "f:a": leaf } }, { data: { a: "1", b: "1" } }, { data: { a: "1", b: "1" } }],
    [
      "a field that is no longer sent",
      { "f:data": { "f:a": leaf, "f:b": leaf } },
      { data: { a: "1" } },
      { data: { a: "1", b: "1" } },
    ],
    ["a field that is gone", { "f:data": { "f:a": leaf } }, { data: { a: "1" } }, { data: {} }],
    ["null, which removes a field", { "f:data": { "f:a": leaf } }, { data: { a: null } }, { data: { a: null } }],
    ["a quantity in different units", { "f:cpu": leaf }, { cpu: "1000m" }, { cpu: "1" }],
    [
      "items in a different order",
      { "f:list": { 'v:"a"': leaf, 'v:"b"': leaf } },
      { list: ["b", "a"] },
      { list: ["a", "b"] },
    ],
    ["the same item twice", { "f:list": { 'v:"a"': leaf, 'v:"b"': leaf } }, { list: ["a", "a"] }, { list: ["a", "b"] }],
    ["an item with a different key", containers, pod([{ containerPort: 81 }]), live],
  ] as const)("is not certain about %s", (_what, set, sent, own) => {
    expect(isExactly(set, sent, own)).toBe(false);
  });

  test("compares a field that is replaced as a whole, whatever the order of its keys", () => {
    expect(isExactly({ "f:spec": leaf }, { spec: { a: [1], b: {} } }, { spec: { b: {}, a: [1] } })).toBe(true);
  });
});
