import { expect, test } from "vitest";
import { finished, label } from "../../../test/report/recorded-run.ts";
import type { RunEvent } from "../../core/events.ts";
import { absent } from "../../core/facts/symbols.ts";
import { secretOf } from "../../core/secrets/secret.ts";
import { paintFor } from "../text/colours.ts";
import { RunText } from "../run-text.ts";
import { changeLines } from "./changes.ts";

/** The lines that --diff shows for a change to a file's text. */
function shown(from: string | typeof absent, to: string): string[] {
  const change = { fact: "file:/a", secret: false, differences: [{ path: "text", from, to }] };
  return changeLines([change], "file /a", { diff: true, mode: "check", paint: paintFor(false) });
}

const wide = "x".repeat(30_000);

test("cuts a new line of 30,000 characters, and says how many more there are", () => {
  expect(shown(absent, `${wide}\n`)).toEqual([
    "text",
    "  @@ -1,0 +1,1 @@",
    `  +${"x".repeat(400)}… 29600 more characters; --json shows all`,
  ]);
});

test("keeps a line of 500 characters whole", () => {
  expect(shown(absent, `${"x".repeat(500)}\n`)[2]).toBe(`  +${"x".repeat(500)}`);
});

test("shows two long lines from a little before their first difference", () => {
  const lines = shown(`a\n${wide}old${wide}\n`, `a\n${wide}new${wide}\n`);
  expect(lines.slice(2)).toEqual([
    "   a",
    `  -29976 characters …${"x".repeat(24)}old${"x".repeat(373)}… 29627 more characters; --json shows all`,
    `  +29976 characters …${"x".repeat(24)}new${"x".repeat(373)}… 29627 more characters; --json shows all`,
  ]);
});

test("shows that one long line is only longer than the other", () => {
  const lines = shown(`${wide}\n`, `${wide}y\n`);
  expect(lines.slice(2)).toEqual([`  -29976 characters …${"x".repeat(24)}`, `  +29976 characters …${"x".repeat(24)}y`]);
});

test("shows the difference of two long lines without a final newline", () => {
  expect(shown(`${wide}a`, `${wide}b`).slice(2)).toEqual([
    `  -29976 characters …${"x".repeat(24)}a`,
    String.raw`  \ No newline at end of file`,
    `  +29976 characters …${"x".repeat(24)}b`,
    String.raw`  \ No newline at end of file`,
  ]);
});

test("compares each long line with the line in the same place on the other side, or else with the last line there", () => {
  const lines = shown(`${wide}1\n${wide}2\n`, `${wide}3\n`).join("\n");
  for (const end of ["1", "2", "3"]) expect(lines).toContain(`x${end}`);
});

test("never shows a part of a secret at either end of a cut line", () => {
  secretOf("long-secret-of-the-database", "password");
  const secret = "long-secret-of-the-database";
  const lines = [
    ...shown(absent, `${"x".repeat(390)}${secret}${wide}\n`),
    ...shown(`${wide}${secret}1${wide}\n`, `${wide}${secret}2${wide}\n`),
  ].join("\n");
  expect(lines).not.toMatch(/database|secret-of|long-/);
});

test("shows where two long values in JSON differ", () => {
  const [line] = shown(`{"data":"${wide}old"}\n`, `{"data":"${wide}new"}\n`).slice(1);
  expect(line).toBe(`  ~ data  …${"x".repeat(24)}old → …${"x".repeat(24)}new`);
});

test("does not say 'same diff' for hosts whose new files differ only after the cut", () => {
  const hosts = ["web1", "web2", "web3", "web4"];
  const text = new RunText({ color: false, diff: true, verbose: false, fold: true, folder: "/" });
  const made = (host: string, end: string): RunEvent =>
    finished(host, label("0", "file /a"), "changed", {
      changes: [
        { fact: "file:/a", secret: false, differences: [{ path: "text", from: absent, to: `${wide}${end}\n` }] },
      ],
    });
  const lines = [
    { type: "playStarted", play: "all", hosts } as const,
    ...hosts.map((host) => made(host, host === "web3" ? "b" : "a")),
  ].flatMap((event) => text.lines(event, 0));
  expect(lines.join("\n")).toMatch(/3 hosts {2}changed {6}file \/a {2}\(same diff; all but web3\)[^]*web3 /);
});
