import stringWidth from "string-width";
import { expect, test } from "vitest";
import { finished, label } from "../../../test/report/recorded-run.ts";
import { RunText } from "../run-text.ts";
import { fitted } from "./fitted.ts";
import { cutTo, oneColumnEach, padded, widthOf } from "./width.ts";

test.each([
  ["web1", 4],
  ["\u001B[31mweb1\u001B[39m", 4],
  ["服务器", 6],
  ["café", 4],
  ["cafe\u0301", 4],
  ["🚀", 2],
  ["👩‍💻", 2],
  ["web › a…", 8],
])("%j takes %i columns", (text, width) => {
  expect(widthOf(text)).toBe(width);
  expect(padded(text, 10)).toBe(text + " ".repeat(10 - width));
});

test("every character that is counted without string-width takes one column", () => {
  const all = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
    oneColumnEach.test(one),
  );
  expect(all.length).toBeGreaterThan(300);
  expect(all.filter((one) => stringWidth(one) !== 1)).toEqual([]);
  expect(stringWidth(all.join(""))).toBe(all.length);
});

test("a folded range of hosts and furrow's other punctuation need no table of widths, which takes 20 ms to load", () => {
  expect("cpu-1–cpu-4 › «a» → b… ├─│└ 3 × −1 ·").toMatch(oneColumnEach);
});

test("aligns the results of hosts whose names have wide characters", () => {
  const hosts = ["服务器", "web1"];
  const text = new RunText({ color: false, diff: false, verbose: false, fold: false, folder: "/" });
  text.lines({ type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts, version: "0" }, 0);
  const lines = hosts.flatMap((host) => text.lines(finished(host, label("0", "file /x"), "changed"), 0));
  expect(lines).toEqual(["服务器   changed      file /x", "web1     changed      file /x"]);
});

test("breaks a line of wide characters that does not fit", () => {
  expect(fitted("文件 (a)", 8, "  ")).toEqual(["文件 (a)"]);
  expect(fitted("文件 (a)", 7, "  ")).toEqual(["文件", "  (a)"]);
});

test.each([
  ["web1", 4, "web1"],
  ["web12", 4, "web…"],
  ["服务器", 6, "服务器"],
  ["服务器", 5, "服务…"],
  ["服务器", 4, "服…"],
  ["a👩‍💻b", 3, "a…"],
  ["cafe\u0301s", 5, "cafe\u0301s"],
  ["cafe\u0301s", 4, "caf…"],
])("%j cut to %i columns is %j", (text, width, cut) => {
  expect(cutTo(text, width)).toBe(cut);
});
