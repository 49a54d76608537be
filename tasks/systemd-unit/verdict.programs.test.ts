import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { scriptOf } from "../../src/core/facts/kind.ts";
import { shells } from "../../test/contract/shells.fixture.ts";
import { notAccepted } from "./refusals.ts";
import { type UnitFile, unitVerdict, unitVerdictKind } from "./verdict.ts";

const analyze = "/usr/bin/systemd-analyze";
const cron = "/lib/systemd/system/cron.service";
const hasSystemd = existsSync(analyze) && existsSync(cron);
if (!hasSystemd) process.stderr.write("skipped without systemd-analyze and cron.service: verdicts on units\n");

const service = (...lines: readonly string[]): string => `[Service]\nExecStart=/bin/true\n${lines.join("\n")}\n`;

describe.runIf(hasSystemd).each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
  const verdictOn = (unit: UnitFile, path = process.env["PATH"] ?? "") => {
    const question = unitVerdict(unit);
    const [program = "", ...words] = shell;
    const script = scriptOf(unitVerdictKind, [{ ...question, number: 3 }]);
    const output = execFileSync(`/usr/bin/${program}`, [...words, "-c", script], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", path === "/nowhere" ? "ignore" : "inherit"],
      env: { ...process.env, PATH: path },
    });
    const lines = Object.fromEntries(
      output
        .trimEnd()
        .split("\n")
        .map((line) => /^3 ([^=]+)=(.*)$/.exec(line)?.slice(1) ?? []),
    ) as Record<string, string>;
    return unitVerdictKind.parse(lines, question);
  };
  const faultsIn = (unit: UnitFile) => {
    const found = verdictOn(unit);
    return found === absent ? "unknown" : (notAccepted("x", found)?.reason.current ?? "accepted");
  };

  test.each([
    { what: "a right unit", unit: { unit: "furrow-demo.service", text: service() }, says: /^accepted$/ },
    {
      what: "a misspelled setting",
      unit: { unit: "furrow-demo.service", text: service("Restrt=always") },
      says: /^furrow-demo\.service:3: Unknown key .*Restrt.*ignoring\.$/,
    },
    {
      what: "a wrong value",
      unit: { unit: "furrow-demo.service", text: service("Restart=sometimes") },
      says: /^furrow-demo\.service:3: Failed to parse .*sometimes$/,
    },
    {
      what: "a service without a program",
      unit: { unit: "furrow-demo.service", text: "[Service]\nUser=root\n" },
      says: /^furrow-demo\.service: .*Refusing/,
    },
    {
      what: "a program that is missing",
      unit: { unit: "furrow-demo.service", text: "[Service]\nExecStart=/no/where\n" },
      says: /^accepted$/,
    },
    { what: "a template", unit: { unit: "furrow-demo@.service", text: service("User=%i") }, says: /^accepted$/ },
    {
      what: "a misspelled setting in a template",
      unit: { unit: "furrow-demo@.service", text: service("Usr=%i") },
      says: /^furrow-demo@\.service:3: Unknown key/,
    },
    {
      what: "a timer",
      unit: { unit: "furrow-demo.timer", text: "[Timer]\nOnCalendar=daily\nUnit=cron.service\n" },
      says: /^accepted$/,
    },
    {
      what: "a timer with an invalid time",
      unit: { unit: "furrow-demo.timer", text: "[Timer]\nOnCalendar=sometimes\nUnit=cron.service\n" },
      says: /^furrow-demo\.timer:2: Failed to parse calendar/,
    },
    {
      what: "a drop-in",
      unit: { unit: "cron.service", dropIn: "10-a", text: "[Service]\nMemoryMax=1G\n" },
      says: /^accepted$/,
    },
    {
      what: "a wrong value in a drop-in",
      unit: { unit: "cron.service", dropIn: "10-a", text: "[Service]\nMemoryMax=1X\n" },
      says: /^cron\.service\.d\/10-a\.conf:2: Invalid memory limit/,
    },
    {
      what: "a misspelled setting in a drop-in for an instance",
      unit: { unit: "getty@tty9.service", dropIn: "10-a", text: "[Service]\nNce=1\n" },
      says: /^getty@tty9\.service\.d\/10-a\.conf:2: Unknown key/,
    },
    {
      what: "a drop-in for a unit that does not exist",
      unit: { unit: "furrow-none.service", dropIn: "10-a", text: "[Service]\n" },
      says: /^unknown$/,
    },
  ])("$what: $says", ({ unit, says }) => {
    expect(faultsIn(unit)).toMatch(says);
    expect(
      readdirSync(tmpdir()).filter(
        (name) => name.startsWith("furrow.") && existsSync(`${tmpdir()}/${name}/${unit.unit}`),
      ),
    ).toEqual([]);
  });

  test("a host without systemd-analyze gives no verdict", () => {
    expect(verdictOn({ unit: "a.service", text: service() }, "/nowhere")).toBe(absent);
  });
});
