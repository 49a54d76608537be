import { describe, expect, it, test } from "vitest";
import { finished, label, recapOf } from "../../../test/report/recorded-run.ts";
import { absent } from "../../core/facts/symbols.ts";
import { changeLines } from "../changes/changes.ts";
import { intentLine } from "../changes/intent-line.ts";
import { shortNames } from "../fold/short-names.ts";
import { RunText } from "../run-text.ts";
import { paintFor } from "./colours.ts";
import { listDependencies } from "./undecided-text.ts";
import { showValue } from "./value.ts";
import { widthOf } from "./width.ts";

const paint = paintFor(false);

describe("text in wide characters is cut by columns, not by characters", () => {
  it("in a value", () => {
    expect(showValue("文".repeat(50))).toBe("文".repeat(50));
    expect(showValue("文".repeat(51))).toBe(`${"文".repeat(49)}…`);
    expect(showValue("🚀".repeat(60))).toBe(`"${"🚀".repeat(49)}…`);
  });

  it("in the title of a task that others depend on", () => {
    expect(listDependencies(["文".repeat(30)])).toBe(` (depends on ${"文".repeat(30)})`);
    expect(listDependencies(["文".repeat(31)])).toBe(` (depends on ${"文".repeat(29)}…)`);
  });

  it("in the title of the first task that was not reached", () => {
    const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
    const recap = [recapOf("a", { changed: 1 }, { left: 1, next: "文".repeat(21) })];
    text.lines(finished("a", label("0", "file /a"), "changed"), 0);
    const event = { type: "runFinished", run: "1", mode: "apply", recap, durationMs: 1, interrupted: false } as const;
    expect(text.lines(event, 0).join("\n")).toContain(`(from ${"文".repeat(19)}…)`);
  });

  it("in what an undecided task wants", () => {
    const parts = ["a", "b"].map((path) => ({ path, from: absent, to: "文".repeat(45) }));
    const line = intentLine([{ fact: "file:/a", secret: false, differences: parts }], "file /a");
    expect(widthOf(line)).toBeLessThanOrEqual("wants ".length + 140);
    expect(line.endsWith("…")).toBe(true);
  });

  it("in a list of host names", () => {
    expect(shortNames(["文件一", "文件二", "文件三"], 20)).toBe("文件一, 文件二 and 1 more");
  });
});

test("aligns the values of fields with wide names", () => {
  const differences = [
    { path: "名", from: "a", to: "b" },
    { path: "name", from: "a", to: "b" },
  ];
  const lines = changeLines([{ fact: "thing:x", secret: false, differences }], "thing x", {
    diff: false,
    mode: "apply",
    paint,
  });
  expect(lines).toEqual(["名    a → b", "name  a → b"]);
});
