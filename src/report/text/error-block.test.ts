import { describe, expect, it } from "vitest";
import { failure } from "../../../test/report/recorded-run.ts";
import { FurrowError } from "../../core/errors.ts";
import { errorBlock } from "./error-block.ts";
import { paintFor } from "./colours.ts";

function block(error: unknown): string {
  return `\n${errorBlock(error, { paint: paintFor(false), folder: "/home/me" }).join("\n")}\n`;
}

describe("errorBlock", () => {
  it("shows an expected failure without a stack", () => {
    expect(block(failure)).toMatchInlineSnapshot(`
      "
      E_STEP  "nginx -t" exited with 1
        host      web2
        task      service nginx
        at        site.ts:12:5
        current   exit code 1
        expected  exit code 0
        hint      Read the output below; the service was left as it was
        | nginx: [emerg] unknown directive "worker" in /etc/nginx/nginx.conf:2
        | nginx: configuration test failed
      "
    `);
  });

  it("keeps the line breaks of a value, and escapes bytes that are not text", () => {
    const error = new FurrowError("E_FACT", { what: "a\u0007b", current: "one\ntwo\udcff" });
    expect(block(error)).toBe("\nE_FACT  a\\x07b\n  current  one\n           two\\xff\n");
  });

  it("suggests -v only if it shows more output than the error does", () => {
    const [whole, part] = [
      { what: "x failed", details: ["why"] },
      { what: "x failed", details: ["why"], isPartial: true },
    ];
    const style = { paint: paintFor(false), folder: "/home/me" };
    const hint = "  hint  Run again with -v to see all of its output";
    expect(errorBlock(new FurrowError("E_STEP", part), style)).toEqual(["E_STEP  x failed", hint, "  | why"]);
    expect(errorBlock(new FurrowError("E_STEP", part), { ...style, verbose: true })).not.toContain(hint);
    expect(errorBlock(new FurrowError("E_STEP", whole), style)).not.toContain(hint);
  });

  it("shows a refusal as a sentence, and its code only with -v", () => {
    const error = new FurrowError("E_REFUSED", {
      what: "the cluster does not have this image",
      details: ["refused: no-image", "refused: by nobody"],
      hint: "Create it",
    });
    const style = { paint: paintFor(false), folder: "/home/me" };
    const sentence = ["E_REFUSED  the cluster does not have this image", "  hint  Create it"];
    expect(errorBlock(error, style)).toEqual([...sentence, "  | refused: by nobody"]);
    expect(errorBlock(error, { ...style, verbose: true })).toContain("  | refused: no-image");
  });

  it("breaks long texts between words on a terminal, but neither commands nor raw text", () => {
    const style = { paint: paintFor(false), folder: "/home/me", columns: 40 };
    const prose = { what: "the playbook asks for confirmation, but there is no terminal to ask on" };
    const hint = "Pass --yes if you agree, or start furrow from a terminal";
    const current = "one long line of a file, the first of two\ntwo";
    expect(errorBlock(new FurrowError("E_USAGE", { ...prose, hint, current }), style)).toEqual([
      "E_USAGE  the playbook asks for",
      "  confirmation, but there is no terminal",
      "  to ask on",
      "  current  one long line of a file, the first of two",
      "           two",
      "  hint     Pass --yes if you agree, or",
      "           start furrow from a terminal",
    ]);
    const what = "sh -c 'echo a long command' --with many words failed";
    expect(errorBlock(new FurrowError("E_STEP", { what }), style)).toEqual([`E_STEP  ${what}`]);
  });

  it("shows the stack of a bug and calls it a bug", () => {
    const text = block(new FurrowError("E_BUG", { what: "it broke", cause: new Error("inner") }));
    expect(text).toContain("E_BUG  it broke");
    expect(text).toContain("this is a bug");
    expect(text).toMatch(/ {2}at .*error-block\.test\.ts/);
    expect(block(new TypeError("x is not a function"))).toContain("E_BUG  TypeError: x is not a function");
  });
});
