import { expect, test } from "vitest";
import { confirmSeconds } from "../../src/cli/run/request.ts";

test.each(["20", "3600"])("--confirm-within %s", (text) => {
  expect(confirmSeconds(text)).toBe(Number(text));
});

test.each(["19", "3601", "0", "1m", "-30"])("--confirm-within %s is refused before a host is touched", (text) => {
  expect(() => confirmSeconds(text)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
});
