import { expect, test } from "vitest";
import { mayHoldSecret } from "./may-hold-secret.ts";
import { withoutUrlSecrets } from "./url-secrets.ts";

const long = 1_000_000;

// With an expression that takes quadratic time, each of these would take minutes.
test.each([
  ["one word", "x".repeat(long)],
  ["words", "a ".repeat(long / 2)],
  ["a URL of question marks", `https://h/${"?".repeat(long)}`],
])("a large object of %s is checked without a noticeable delay", (_what, text) => {
  expect(mayHoldSecret({ data: { text } })).toBe(false);
  expect(withoutUrlSecrets(text)).toBe(text);
});

test.each(["password = x", '{"apiKey": "x"}', "user: me\ndb_password: x", "a\ttoken\t= x"])(
  "a text with a name before a value may hold a secret: %j",
  (text) => {
    expect(mayHoldSecret(text)).toBe(true);
  },
);

test.each(["postgres://shop:a'b@db", 'http://me:a"b@proxy', "http://me:<b@proxy"])(
  "a URL whose password has quotes or brackets may hold a secret: %s",
  (text) => {
    expect(mayHoldSecret(text)).toBe(true);
  },
);
