import * as fc from "fast-check";
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { describeStep, run, shellQuote, type Step, touchedPaths } from "./step.ts";

const path = "/srv/my files";

describe("run as a template tag", () => {
  test.each([
    { what: "words separated by whitespace", step: run`ls  -l\t/tmp`, argv: ["ls", "-l", "/tmp"] },
    { what: "a value as one word", step: run`ls -l ${path}`, argv: ["ls", "-l", path] },
    { what: "a value inside a word", step: run`dd if=${path} bs=${4}k`, argv: ["dd", `if=${path}`, "bs=4k"] },
    { what: "two values in one word", step: run`${"a"}=${"b c"}`, argv: ["a=b c"] },
    { what: "an empty value as an empty word", step: run`usermod -c ${""} x`, argv: ["usermod", "-c", "", "x"] },
    { what: "a list as one word per item", step: run`rm -- ${["a b", "c"]} d`, argv: ["rm", "--", "a b", "c", "d"] },
    { what: "an empty list as no words", step: run`rm ${[]} x`, argv: ["rm", "x"] },
    { what: "a value with spaces and quotes untouched", step: run`echo ${`'"$(x)`}`, argv: ["echo", `'"$(x)`] },
  ])("takes $what", ({ step, argv }) => {
    expect(step).toEqual({ step: "run", argv });
  });
});

test("quotes a word so that a shell reads it unchanged", () => {
  const word = fc.string({ unit: fc.constantFrom(...Array.from("a'\"$`\\ \t\n*?[]{}()<>|&;#~!%=-é")), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      const script = `for x in ${words.map(shellQuote).join(" ")}; do printf '%s\\0' "$x"; done`;
      expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toBe(words.map((one) => `${one}\0`).join(""));
    }),
    { numRuns: 60 },
  );
});

describe("a step", () => {
  test.each<{ step: Step; says: string; touches: readonly string[] | undefined }>([
    { step: { step: "run", argv: ["a b"] }, says: "'a b'", touches: undefined },
    { step: { step: "run", argv: ["x"], label: "do it" }, says: "do it", touches: undefined },
    { step: { step: "writeFile", path: "/a", text: "t" }, says: "write /a", touches: ["/a"] },
    { step: { step: "upload", from: "b", path: "/a", sha256: "0" }, says: "upload b to /a", touches: ["/a"] },
    { step: { step: "fetch", path: "/a", to: "b", mode: "0600" }, says: "fetch /a to b", touches: [] },
    { step: { step: "makeDirectory", path: "/a", parents: true }, says: "make directory /a", touches: ["/a"] },
    { step: { step: "link", path: "/a", target: "b" }, says: "link /a to b", touches: ["/a"] },
    { step: { step: "setAttributes", path: "/a", mode: "0600" }, says: "set 0600 on /a", touches: ["/a"] },
    { step: { step: "remove", path: "/a", recursive: true }, says: "remove /a and its contents", touches: ["/a"] },
    { step: { step: "reboot", deadlineSeconds: 1 }, says: "reboot", touches: undefined },
    { step: { step: "call", driver: "d", request: 1, label: "make" }, says: "make", touches: undefined },
  ])("is described as $says", ({ step, says, touches }) => {
    expect(describeStep(step)).toBe(says);
    expect(touchedPaths(step)).toEqual(touches);
  });
});
