import { expect, test } from "vitest";
import { withoutValues } from "./without-values.ts";

const typed = "failed to create typed patch object (shop/db; v1, Kind=Secret): ";

test.each([
  [
    "a number in a Secret",
    `${typed}.data.pin: expected string, got &value.valueUnstructured{Value:424242771}`,
    `${typed}.data.pin: expected string`,
  ],
  ["a text as data", `${typed}.data: expected map, got &{MfScalarSecret}`, `${typed}.data: expected map`],
  ["a list as data", `${typed}.data: expected map, got &{[MfListSecret]}`, `${typed}.data: expected map`],
  [
    "several values, one of them with line breaks",
    `${typed}errors:\n  .data.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"x":"}\n  s3cret"}}\n  .data.b: expected string, got &value.valueUnstructured{Value:424242771}\n  .zzz: field not declared in schema`,
    `${typed}errors:\n  .data.a: expected string\n  .data.b: expected string\n  .zzz: field not declared in schema`,
  ],
  ["a piece of the request", "illegal base64 data, error found in #10 byte of ...|s3cret", "illegal base64 data"],
  [
    "a wrong value under a secret name",
    'Tent "a" is invalid: [spec.password: Invalid value: "s3c\\"ret: x": it is too short, spec.size: Invalid value: -1: it is too small]',
    'Tent "a" is invalid: [spec.password: Invalid value: (not shown): it is too short, spec.size: Invalid value: -1: it is too small]',
  ],
  [
    "a wrong value under a secret name after another wrong value",
    'Tent "a" is invalid: [spec.door: Invalid value: {"a":1}: it is wrong, spec.password: Invalid value: "s3cret": it is too short]',
    'Tent "a" is invalid: [spec.door: Invalid value: {"a":1}: it is wrong, spec.password: Invalid value: (not shown): it is too short]',
  ],
  [
    "a wrong number under a secret name",
    'Tent "a" is invalid: spec.auth[pin]: Invalid value: 73519945: it is too large',
    'Tent "a" is invalid: spec.auth[pin]: Invalid value: (not shown): it is too large',
  ],
  [
    "a wrong object under a secret name",
    'Tent "a" is invalid: spec.token: Invalid value: {"a":"s3cret: x"}: it is wrong',
    'Tent "a" is invalid: spec.token: Invalid value: (not shown)',
  ],
])("a message of the API does not repeat %s", (_what, message, expected) => {
  expect(withoutValues(message)).toBe(expected);
});

test.each([
  'ConfigMap "BAD" is invalid: metadata.name: Invalid value: "BAD": a lowercase name',
  ".spec.replicas: expected numeric (int or float), got string",
])("a message of the API keeps everything that is not secret: %s", (message) => {
  expect(withoutValues(message)).toBe(message);
});
