import { expect, test } from "vitest";
import { z } from "zod";
import { expectedOf } from "./issue-text.ts";

test.each<[z.ZodType, unknown, string]>([
  [z.number().max(65_535), 70_000, "at most 65535"],
  [z.int().min(-1.5e3), -2e3, "at least -1500"],
  [z.number().gt(1), 0, "more than 1"],
  [z.number().lt(0.5), 1, "less than 0.5"],
  [z.number().multipleOf(5), 3, "a multiple of 5"],
  [z.int(), 1.5, "a whole number"],
  [z.array(z.string()).min(1), [], "at least 1 item"],
  [z.array(z.string()).max(1), ["a", "b"], "at most 1 item"],
  [z.array(z.string()).length(2), ["a"], "exactly 2 items"],
  [z.map(z.string(), z.string()).min(1), new Map(), "at least 1 entry"],
  [z.string().min(3), "", "at least 3 characters"],
  [z.string().regex(/a/), "", "a string that matches /a/"],
  [z.string().startsWith("a"), "", 'a string that starts with "a"'],
  [z.string().includes("a"), "", 'a string that includes "a"'],
  [z.string().uppercase(), "a", "a string in uppercase"],
  [z.email(), "x", "an email address"],
  [z.url(), "x", "a URL"],
  [z.ipv4(), "x", "an IPv4 address"],
  [z.uuid(), "x", "a UUID"],
  [z.iso.date(), "x", "an ISO date"],
  [z.enum(["a", "b"]), "x", 'one of "a", "b"'],
  [z.literal("on"), "x", '"on"'],
  [z.union([z.string(), z.number()]), true, "another type or value"],
  [z.string({ error: "a path" }), 1, "a path"],
])("a zod message becomes a phrase: %#", (schema, value, expected) => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  expect(expectedOf(issue ?? { message: "" })).toBe(expected);
});
