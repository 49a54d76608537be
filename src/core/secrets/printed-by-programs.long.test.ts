import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decodeBytes } from "../host/bytes.ts";
import { redactor } from "./redact.ts";

/**
 * Tests the output of programs that print a secret, in the locale that furrow sets on hosts; `$P` is the secret. Takes
 * about 2 s.
 */
const folder = mkdtempSync(join(tmpdir(), "furrow-redact-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const programs = [
  "declare -p P",
  "export -p | grep -a P=",
  "printf '%q\\n' \"$P\"",
  'set -x; : "$P"',
  "command printf '%q\\n' \"$P\"",
  "ls -b",
  "ls -Q",
  "ls --quoting-style=locale",
  "ls --quoting-style=shell-escape",
  "ls --quoting-style=shell-escape-always",
  "stat -c %N -- *",
  'rm -- "$P-not there" 2>&1 || rmdir -- "$P" 2>&1',
  'printf %s "$P" | sed -n l',
  'printf %s "$P" | cat -v',
  "busybox ls",
  'printf %s "$P" | base32',
  'printf %s "x$P" | base32',
  "printf '%s\\n' \"ab$P\" | base32",
  "printf '%s\\n' \"abc$P\" | base32 -w 0",
  'printf %s "abcd${P}e" | base32',
  "python3 -c 'import os; print(os.environb[b\"P\"])'",
  'python3 -c \'import os; print([os.environ["P"]], ascii(os.environ["P"]))\'',
  "printf '%s\\n' \"$P\" | grep --color=always hunter",
  "printf '\\033[1m%s\\033(B\\033[m' \"${P%77*}\"; printf '\\033]8;;http://x\\033\\\\%s' \"77${P##*77}\"",
  "printf '%s' \"$P\" | sed 's/[a-z]/&\\x08&/g'",
];

const values = [
  "Grünkohl-hunter-77",
  "it's-hunter-77é",
  'blank "and" $quotes\\ hunter-77-ü',
  "tab\tand-hunter-77-é",
  "line-one-hunter\nline-two-77-ü",
  "zq7-Hunter2-hunter-secret-value-77-that-is-longer-than-one-line-of-base32-is-with-its-76-columns",
];

/** Parts of the secret that would reveal it if they remained in the output; for base32, also their encoded form. */
const telling = ["hunter", "nkohl", "quotes", "line-two", "secret-value", "columns", "h\bhu\bun\bnt"];

describe.each(values)("the secret %j", (value) => {
  const name = value.replaceAll("/", "-");
  const begin = `cd "$(mktemp -d -p ${folder})" && mkdir -- "$P" && touch -- "$P/x"`;
  const script = [begin, ...programs.map((program) => `printf '\\0'; ( ${program} ) 2>&1`)].join("\n");
  const { stdout } = spawnSync("bash", ["-c", script], {
    env: { PATH: process.env["PATH"], LC_ALL: "C", P: name },
    encoding: "latin1",
  });
  const outputs = stdout.split("\0").slice(1);
  const redact = redactor([{ name: "N", value: name }]);

  test.each(programs.map((program, at) => [program, outputs[at] ?? ""]))(
    "does not appear in the output of %s",
    (program, raw) => {
      const said = decodeBytes(Buffer.from(raw, "latin1"));
      expect(said).not.toBe("");
      const left = redact(said).replaceAll(/\u001B\[[\d;]*[mK]/g, "");
      for (const part of telling) expect(left, JSON.stringify(said)).not.toContain(part);
      // In base32, the text around the secret remains, and so do letters that encode a few bits of the secret together
      // with other bits.
      const letters = program.includes("base32") ? left.replaceAll(/«secret N»|[\s=]/g, "") : "";
      expect(letters.length, left).toBeLessThan(16);
    },
  );
});

test.each(["xxd", "od -An -tx1", "hexdump -C"])("a secret is found in the hex dump that %s prints", (dump) => {
  const value = "correct horse battery staple 123";
  const { stdout } = spawnSync("sh", ["-c", dump], { input: value, encoding: "utf8" });
  expect(stdout).toMatch(/63 ?6f/);
  const left = redactor([{ name: "N", value }])(stdout);
  expect(left.replaceAll(/[^\da-f]/g, "")).not.toMatch(/636f7272|65637420|73746170|6c652031/);
});

test.each(["line-one-secret\nline-two-secret\ttab", "two  blanks\tand a tab", "  blanks around it "])(
  "all parts of %j are hidden after a shell has split it",
  (value) => {
    const { stdout } = spawnSync("sh", ["-c", "echo $P; printf '%s,' $P"], {
      env: { ...process.env, P: value },
      encoding: "utf8",
    });
    const [echoed = ""] = redactor([{ name: "N", value }])(stdout).split("\n");
    expect(echoed).toBe("«secret N»");
  },
);

test.each([57, 58, 76, 100, 300, 1000])(
  "the end of a %i-character secret is hidden in base64 with line breaks",
  (length) => {
    const value = Array.from({ length }, (_, at) => String.fromCharCode(33 + ((at * 37) % 90))).join("");
    const hide = redactor([{ name: "S", value }]);
    for (const wrap of [76, 64]) {
      const { stdout } = spawnSync("base64", ["-w", `${wrap}`], { input: `${value}\n`, encoding: "utf8" });
      const left = hide(stdout).replaceAll("«secret S»", "").replaceAll(/\s/g, "");
      // A part that is too short to be searched for reveals at most five bytes.
      expect(left.length).toBeLessThan(8);
    }
  },
);
