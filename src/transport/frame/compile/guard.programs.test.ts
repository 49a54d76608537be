import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Question } from "../../../core/facts/fact.ts";
import type { GuardItem } from "../../../core/host/frame.ts";
import { linesOf } from "../../../core/facts/expectation.ts";
import { file } from "../../../facts/files/file.ts";
import { program } from "../../../facts/system/program.ts";
import { tree } from "../../../facts/files/tree.ts";
import { readKind } from "../../../testing/read-kind.ts";
import { compileFrame } from "./compile.ts";
import { prelude } from "./prelude.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-guard-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
mkdirSync(at("tree"));
writeFileSync(at("tree/a.b"), "");
writeFileSync(at("tree/a b=c"), "");

/** A guard that expects the current values, as the kinds print them. */
async function guardOn(questions: readonly Question[]): Promise<GuardItem> {
  const expected = await Promise.all(
    questions.map(async (question) => {
      const [answer] = await readKind([question]);
      return { question, lines: linesOf(question, answer?.value) };
    }),
  );
  return { item: "guard", expected };
}

describe.each([["dash"], ["bash"], ["busybox", "sh"]])("a guard in %s", (shell, ...args) => {
  const holds = (guard: GuardItem): boolean => {
    const { text } = compileFrame([guard], "nonce");
    const { stdout } = spawnSync(shell, [...args, "-c", `${prelude}${text}`], { encoding: "utf8", input: "" });
    expect(stdout).toMatch(/^nonce G 0 [01]$/m);
    return stdout.includes("nonce G 0 1");
  };

  test("passes if it has no questions, for example after a command that always runs", () => {
    expect(holds({ item: "guard", expected: [] })).toBe(true);
  });

  test("passes for the current values, in any order of questions", async () => {
    writeFileSync(at("text"), "a = b\n");
    const guard = await guardOn([
      file(at("text"), ["changed", "sha256", "text"]),
      program("sh"),
      file(at("nothing"), ["text"]),
      tree(at("tree")),
      file(at("tree"), ["sha256"]),
    ]);
    expect(holds(guard)).toBe(true);
    expect(holds({ ...guard, expected: guard.expected.toReversed() })).toBe(true);
    appendFileSync(at("text"), "c");
    expect(holds(guard)).toBe(false);
  });

  test("fails if something new appears", async () => {
    const guard = await guardOn([file(at("made"), ["text"]), program("sh")]);
    writeFileSync(at("made"), "");
    expect(holds(guard)).toBe(false);
    rmSync(at("made"));
    expect(holds(guard)).toBe(true);
  });

  test("ignores lines that are marked open, and the whole answer of a fact that is marked open", async () => {
    writeFileSync(at("open"), "before");
    const [first, second] = (await guardOn([file(at("open"), ["sha256", "text"]), file(at("text"))])).expected;
    const guard = (open: readonly string[]): GuardItem => ({
      item: "guard",
      expected: [first!, second!].map((own) => ({ ...own, open })),
    });
    writeFileSync(at("open"), "after");
    expect(holds(guard([]))).toBe(false);
    expect(holds(guard(["text"]))).toBe(false);
    expect(holds(guard(["text", "sha256"]))).toBe(true);
    expect(holds(guard(["*"]))).toBe(true);
    rmSync(at("open"));
    expect(holds(guard(["text", "sha256"]))).toBe(false);
    expect(holds(guard(["*"]))).toBe(true);
  });

  test("compares long lines up to their last byte", async () => {
    const text = "long line ".repeat(20_000);
    writeFileSync(at("long"), text);
    const guard = await guardOn([file(at("long"), ["text"])]);
    expect(compileFrame([guard], "nonce").text.length).toBeLessThan(20_000);
    expect(holds(guard)).toBe(true);
    writeFileSync(at("long"), `${text.slice(0, -1)}!`);
    expect(holds(guard)).toBe(false);
  });
});
