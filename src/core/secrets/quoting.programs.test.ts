import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { redactor } from "./redact.ts";

/** Scripts by shell; each script prints the secret `$P` in a way in which its shell quotes it. */
const quoting: Record<string, readonly string[]> = {
  bash: [
    "printf '%q\\n' \"$P\"",
    "printf 'x %q\\n' \"P=$P\"",
    'echo "${P@Q}"',
    "declare -p P",
    "set | grep -a ^P=",
    'alias k="$P"; alias k',
    'set -x; : "$P"',
  ],
  dash: ["set | grep -a ^P=", "export -p | grep -a P=", 'set -x; : "$P"'],
  mksh: ['echo "${P@Q}"', "set | grep -a ^P=", "typeset -p P", 'set -x; : "$P"'],
};

/** Writes the output as a JSON string, as a log in JSON format does. */
const inJson = "import json, sys; print(json.dumps(sys.stdin.read()))";

const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
const values = [
  ...printable.map((character) => `Zq7kPw${character}hunterL2`),
  ...printable.map((character) => `${character}Zq7kPw:~hunter${character}`),
  "Abc,def&1hunter",
  "Zq7#kP\"w9$x&m<hunter'\\!L2",
  "Zq7kPw\tit's\\hunter",
].map((value) => value.trim());

const programs = Object.entries(quoting).flatMap(([shell, scripts]) => scripts.map((script) => ({ shell, script })));

describe.each(programs)("the output of $script in $shell", ({ shell, script }) => {
  const each = `for P in "$@"; do ( ${script} ) 2>&1; printf '\\1'; done`;
  const { stdout } = spawnSync(shell, ["-c", each, shell, ...values], { encoding: "utf8", env: environment() });
  const outputs = stdout.split("\u0001");
  const { stdout: json } = spawnSync("python3", ["-c", inJson], { input: stdout, encoding: "utf8" });
  const logged = json
    .trim()
    .slice(1, -1)
    .split(String.raw`\u0001`);

  it("does not show a secret, regardless of the printable characters in it", () => {
    const shown = values.filter((value, at) => shows(value, outputs[at]) || shows(value, logged[at]));
    expect(shown).toEqual([]);
  });
});

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", P: "" };
}

/** True if a part of the secret remains. */
function shows(value: string, output: string | undefined): boolean {
  return /Zq7|hunter/.test(redactor([{ name: "N", value }])(output ?? "hunter: no output"));
}
