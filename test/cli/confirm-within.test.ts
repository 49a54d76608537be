import { expect, test } from "vitest";
import { upHint } from "../../src/cli/commands/lab.ts";
import { confirmSeconds } from "../../src/cli/run/request.ts";
import type { FurrowError } from "../../src/core/errors.ts";
import { labHosts } from "../../src/lab/inventory.ts";

test.each(["20", "3600"])("--confirm-within %s", (text) => {
  expect(confirmSeconds(text)).toBe(Number(text));
});

test.each(["60s", "0", "19"])("the value that the hint for --confirm-within %s suggests is accepted", (text) => {
  let hint = "";
  try {
    confirmSeconds(text);
  } catch (error) {
    hint = (error as FurrowError).failure.hint ?? "";
  }
  expect(hint).toMatch(/^Write --confirm-within \d+$/);
  expect(confirmSeconds(/\d+$/.exec(hint)?.[0] ?? "")).toBe(60);
});

test("lab up suggests --name if it gets a name in place of a number", async () => {
  expect(upHint("usr-1")).toBe("1 --name usr-1");
  expect(upHint("1.5")).toBe("1");
  await expect(labHosts({ name: "usr-none" }).list(undefined as never)).rejects.toMatchObject({
    failure: { hint: "Start it with `furrow lab up --name usr-none`" },
  });
});

test.each(["19", "3601", "0", "1m", "-30"])("--confirm-within %s is refused before a host is touched", (text) => {
  expect(() => confirmSeconds(text)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
});
