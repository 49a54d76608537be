import { expect, it } from "vitest";
import { fleetNames, fleetRun } from "../../../test/report/fleet.ts";
import { RunText } from "../run-text.ts";
import { fitted } from "./fitted.ts";

it("if a line does not fit, moves the last part in brackets to the next line, regardless of colours", () => {
  expect(fitted("3 hosts  failed  (a; b)", 23, "  ")).toEqual(["3 hosts  failed  (a; b)"]);
  expect(fitted("3 hosts  failed  (a; b)", 22, "  ")).toEqual(["3 hosts  failed", "  (a; b)"]);
  expect(fitted("3 \u001B[31mfailed\u001B[39m (a; b)", 15, "  ")).toHaveLength(1);
  expect(fitted("no brackets", 5, "  ")).toEqual(["no brackets"]);
  expect(fitted("no terminal (a)", undefined, "  ")).toEqual(["no terminal (a)"]);
});

it("breaks between words if the part in brackets does not fit on its own line either", () => {
  const line = "3 hosts  failed  (web1.example.com, web2.example.com and 5 more)";
  expect(fitted(line, 44, "    ")).toEqual([
    "3 hosts  failed",
    "    (web1.example.com, web2.example.com and",
    "    5 more)",
  ]);
});

it("on a narrow terminal, breaks the last line before the number of hosts", () => {
  const run = fleetRun("apply", 120, { broken: fleetNames(120).slice(30, 60) });
  const last = (columns: number): string[] => {
    const options = { color: false, diff: false, verbose: false, fold: true, folder: "/", columns: () => columns };
    const text = new RunText(options);
    return run.flatMap((event) => text.lines(event, 0)).slice(-2);
  };
  expect(last(200)[1]).toMatch(/^450 changed.* on 120 hosts in/);
  expect(last(40)).toEqual([
    expect.stringMatching(/^450 changed, 0 ok/),
    expect.stringMatching(/^ {2}on 120 hosts in /),
  ]);
});

it("does not split host names on a narrow terminal, in the text or in the recap", () => {
  const broken = fleetNames(120).slice(30, 60);
  const run = fleetRun("apply", 120, { broken });
  const lines = (columns: number): string[] => {
    const text = new RunText({
      color: false,
      diff: false,
      verbose: false,
      fold: true,
      folder: "/",
      columns: () => columns,
    });
    return run
      .flatMap((event) => text.lines(event, 0))
      .filter((line) => line.includes("web032–web060") || line.includes("web061"));
  };
  expect(lines(200)).toEqual([
    "90 hosts   changed      service nginx  (same diff; web001–web030, web061–web120)",
    "29 hosts   failed       service nginx  up to 2.1 s  (same error as web031; web032–web060)",
    "  90 hosts  4 changed  (web001–web030, web061–web120)",
  ]);
  expect(lines(50)).toEqual([
    "    (same diff; web001–web030, web061–web120)",
    "    (same error as web031; web032–web060)",
    "            (web001–web030, web061–web120)",
  ]);
});
