import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseKey, printKey, putKeys, type WantedKeys } from "./keys.ts";

const a = "ssh-ed25519 AAAAaaaa ana@laptop";
const b = "ecdsa-sha2-nistp256 BBBBbbbb== bob";
const c = "sk-ssh-ed25519@openssh.com CCCCcccc";
const keys = (...lines: string[]): WantedKeys["keys"] => lines.flatMap((line) => parseKey(line) ?? []);
const want = (lines: string[], more: Partial<WantedKeys> = {}): WantedKeys => ({
  keys: keys(...lines),
  options: undefined,
  present: true,
  exclusive: false,
  ...more,
});

describe("parseKey", () => {
  test.each([
    [a, { options: "", type: "ssh-ed25519", blob: "AAAAaaaa", comment: "ana@laptop" }],
    [c, { options: "", type: "sk-ssh-ed25519@openssh.com", blob: "CCCCcccc", comment: "" }],
    [`no-pty,from="10.0.0.0/8" ${a}`, { options: 'no-pty,from="10.0.0.0/8"', blob: "AAAAaaaa" }],
    [
      String.raw`command="echo \"ssh-rsa AAAA\" x" ${b}`,
      { options: String.raw`command="echo \"ssh-rsa AAAA\" x"`, blob: "BBBBbbbb==" },
    ],
    [`${a} at home`, { comment: "ana@laptop at home" }],
  ])("parses %s and prints it again", (line, parts) => {
    const key = parseKey(line);
    expect(key).toMatchObject(parts);
    expect(key && printKey(key)).toBe(line);
  });
  test.each(["", "# note", "ssh-ed25519", "nonsense AAAA", `#${a}`])("%j is not a key", (line) => {
    expect(parseKey(line)).toBeUndefined();
  });
});

describe("putKeys", () => {
  test.each([
    { title: "adds a key to an empty file", text: "", wanted: want([a]), result: `${a}\n` },
    { title: "adds a key at the end", text: `# mine\n${b}`, wanted: want([a]), result: `# mine\n${b}\n${a}\n` },
    { title: "leaves an existing key", text: `${a}\n`, wanted: want([a]), result: `${a}\n` },
    {
      title: "identifies a key by its body, not by its comment",
      text: `${a}\n`,
      wanted: want(["ssh-ed25519 AAAAaaaa"]),
      result: `${a}\n`,
    },
    {
      title: "corrects the comment if one is given",
      text: `${a}\n`,
      wanted: want(["ssh-ed25519 AAAAaaaa ana"]),
      result: "ssh-ed25519 AAAAaaaa ana\n",
    },
    { title: "keeps options", text: `no-pty ${a}\n`, wanted: want([a]), result: `no-pty ${a}\n` },
    {
      title: "sets options",
      text: `no-pty ${a}\n`,
      wanted: want([a], { options: "restrict" }),
      result: `restrict ${a}\n`,
    },
    { title: "removes options", text: `no-pty ${a}\n`, wanted: want([a], { options: "" }), result: `${a}\n` },
    { title: "collapses duplicates", text: `${a}\n${b}\n${a}\n`, wanted: want([a]), result: `${a}\n${b}\n` },
    {
      title: "removes every copy",
      text: `${a}\n${b}\nno-pty ${a}\n`,
      wanted: want([a], { present: false }),
      result: `${b}\n`,
    },
    {
      title: "removes other keys and keeps comments if exclusive",
      text: `# mine\n${b}\n${a}\n`,
      wanted: want([a, c], { exclusive: true }),
      result: `# mine\n${a}\n${c}\n`,
    },
  ])("$title", ({ text, wanted, result }) => {
    expect(putKeys(text, wanted)).toBe(result);
    expect(putKeys(result, wanted)).toBe(result);
  });

  test("is idempotent, and keeps lines that are not keys", () => {
    const line = fc.constantFrom(a, b, c, `no-pty ${a}`, "# note", "", "junk");
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), fc.boolean(), (lines, present, exclusive) => {
        const wanted = want([a, b], { present, exclusive: exclusive && present });
        const once = putKeys(lines.join("\n"), wanted);
        expect(putKeys(once, wanted)).toBe(once);
        const notes = (text: string): number =>
          text.split("\n").filter((part) => part === "# note" || part === "junk").length;
        expect(notes(once)).toBe(notes(lines.join("\n")));
      }),
    );
  });
});
