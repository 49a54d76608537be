import { expect, test } from "vitest";
import { FurrowError } from "../../core/errors.ts";
import { paintFor } from "./colours.ts";
import { errorBlock, errorLine, errorLines } from "./error-block.ts";
import { safeLine } from "./value.ts";

const forged = "vm x\nhere  ok           all fine\r\nweb1  ok";
const style = { paint: paintFor(false), folder: "/" };

test("a line break in a name from a server cannot forge a line of the report", () => {
  expect(safeLine(forged)).toBe(String.raw`vm x\nhere  ok           all fine\x0d\nweb1  ok`);
  expect(safeLine("a\u2028b\u0085c")).toBe(String.raw`a\u2028b\x85c`);
});

test.each(["what", "current", "expected", "hint"])("a line break in an error's %s forges no line", (part) => {
  for (const code of ["E_DRIVER", "E_STEP"] as const) {
    const error = new FurrowError(code, { what: "it failed", [part]: forged });
    const [, ...rest] = errorBlock(error, style);
    expect(rest.filter((line) => line.includes("\n") || !line.startsWith("  "))).toEqual([]);
    expect(errorLine(error)).not.toContain("\n");
    for (const line of errorLines(error, 80, "    ")) expect(line).toMatch(/^ {4}(?!.*\n)/);
  }
});
