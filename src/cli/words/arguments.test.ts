import { describe, expect, it } from "vitest";
import { checkArguments } from "./arguments.ts";
import { flagsOf } from "./flags.ts";

const check = (...words: string[]): unknown => checkArguments("run", flagsOf.run, words);

describe("checkArguments", () => {
  it("if an inventory follows the playbook without -i, says how to pass it", () => {
    expect(() => check("site.ts", "inventory.ts")).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({ hint: "Leave it out, or write -i inventory.ts if it is the inventory" }),
      }),
    );
  });

  it("returns repeated flags and the words after two dashes", () => {
    expect(check("site.ts", "--var", "a=1", "-e", "b=2", "--var=c=3", "-i", "a", "-i", "b")).toMatchObject({
      args: { playbook: "site.ts", var: "c=3", inventory: "b", check: undefined },
      vars: ["a=1", "b=2", "c=3"],
      inventories: ["a", "b"],
      vaultPasswordFiles: [],
      positionals: ["site.ts"],
      rest: undefined,
    });
    expect(checkArguments("exec", flagsOf.exec, ["web", "--", "ls", "--all"])).toMatchObject({
      args: { pattern: "web" },
      vars: [],
      inventories: [],
      vaultPasswordFiles: [],
      positionals: ["web"],
      rest: ["ls", "--all"],
    });
  });

  it("shows where the two dashes go if they are missing before a command", () => {
    expect(() => checkArguments("exec", flagsOf.exec, ["all", "ls"])).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ hint: expect.stringContaining("Put -- before") }) }),
    );
  });

  it("accepts combined short flags, and values with a leading dash after an equals sign", () => {
    expect(() => check("site.ts", "-CDv", "-i", "local", "--start-at=-x")).not.toThrow();
  });

  it.each<[string[], string, string]>([
    [["site.ts", "--forkss", "3"], "has no flag --forkss", "Write --forks"],
    [["site.ts", "-x"], "has no flag -x", "Run furrow run --help"],
    [["site.ts", "--no-check"], "has no flag --no-check", "Run furrow run --help"],
    [["site.ts", "--limit"], "--limit needs a value", "Write --limit PATTERN"],
    // An unset variable, as in `--limit "$UNSET"`, gives an empty value. If that were ignored, the limit would include
    // all hosts.
    ...["", " "].flatMap((value) =>
      ["--limit", "--tags", "--start-at"].map((flag): [string[], string, string] => [
        ["site.ts", flag, value],
        `the value of ${flag} is empty`,
        "Leave the flag out, or set the variable that it uses",
      ]),
    ),
    [["site.ts", "--limit", "--check"], "--limit needs a value", "Write --limit PATTERN"],
    [["site.ts", "--check=yes"], "--check takes no value", "Write --check alone"],
    [["site.ts", "-l", "a", "-l", "b"], "-l is given twice", "Write -l a,b"],
    [["site.ts", "--limit", "a", "--limit", "!b"], "--limit is given twice", "Write --limit 'a,!b'"],
    [["site.ts", "--tags", "a", "--tags", "b"], "--tags is given twice", "Write --tags a,b"],
    [["site.ts", "--forks", "1", "--forks", "2"], "--forks is given twice", "Give it once"],
    [["site.ts", "other.ts"], 'what to do with "other.ts"', "Leave it out"],
    [[], "furrow run needs PLAYBOOK", "a playbook file"],
  ])("refuses %j", (words, what, hint) => {
    expect(() => check(...words)).toThrow(
      expect.objectContaining({
        code: "E_USAGE",
        failure: {
          what: expect.stringContaining(what) as string,
          hint: expect.stringContaining(hint) as string,
        },
      }) as Error,
    );
  });
});
