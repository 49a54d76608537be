import { expect, test } from "vitest";
import { file } from "./file.ts";

test("facets that are given as a string are refused with an example, not with an internal TypeError", () => {
  const facets = "text" as unknown as ["text"];
  expect(() => file("/etc/motd", facets)).toThrow("the facets of a fact are not a list: file /etc/motd");
});
