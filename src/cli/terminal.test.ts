import { afterEach, expect, it, vi } from "vitest";
import { warn } from "./terminal.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("escapes control characters in a notice, which may quote a file name", () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  warn("types are not checked: a\u001B[2Jb.d.ts\u0007");
  expect(written).toEqual(["types are not checked: a\\x1b[2Jb.d.ts\\x07\n"]);
});
