import { expect, test } from "vitest";
import { secretOf } from "./secret.ts";
import { shownValue } from "./shown-value.ts";

test.each<[string, unknown, unknown]>([
  ["a password deep inside", { ann: { password: "h" } }, { ann: { password: "(not shown)" } }],
  ["a token in a list", [{ name: "a", vars: { apiToken: 1234 } }], [{ name: "a", vars: { apiToken: "(not shown)" } }]],
  ["everything below a secret's name", { tokens: [{ a: "h" }] }, { tokens: [{ a: "(not shown)" }] }],
  ["the path of a password", { passwordFile: "/etc/pw" }, { passwordFile: "/etc/pw" }],
  ["an environment", [{ name: "DB_PASSWORD", value: "h" }], [{ name: "DB_PASSWORD", value: "(not shown)" }]],
  ["JSON that does not parse", '[{"password": "h"', "(not shown)"],
  ["a list that does not parse", "[a, b", "[a, b"],
  ["a URL with a password", "https://ann:h@host/x", "https://ann:…@host/x"],
  ["a URL with a password that needs escapes", 'https://ann:h" i@host/x', "https://ann:…@host/x"],
  ["a URL with a token instead of a user", "https://ghp_h@host/x", "https://…@host/x"],
  ["a URL of S3 with a key", "s3://AKIA:h@bucket/", "s3://AKIA:…@bucket/"],
  ["a presigned URL", ["https://b/k?X-Amz-Signature=h"], ["https://b/k?X-Amz-Signature=…"]],
  ["a private key", "-----BEGIN PRIVATE KEY-----\nh", "(not shown)"],
  ["a date", new Date(0), new Date(0)],
  ["no value", { password: null, isSecret: true }, { password: null, isSecret: true }],
])("%s is shown without its secrets", (_title, value, shown) => {
  expect(shownValue("x", value)).toEqual(shown);
});

test("a secret stays a secret, and a reference to one is shown", () => {
  const secret = secretOf("v4lue", "password");
  expect(shownValue("password", secret)).toBe(secret);
  expect(shownValue("password", "{{ pw }}", (text) => text.startsWith("{{"))).toBe("{{ pw }}");
});
