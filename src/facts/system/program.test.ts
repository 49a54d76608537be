import { describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { program, programKind } from "./program.ts";

describe.each([
  { shell: "sh", argv: ["sh", "-c"] },
  { shell: "bash", argv: ["bash", "-c"] },
  { shell: "busybox", argv: ["busybox", "sh", "-c"] },
])("programs under $shell", ({ argv }) => {
  test("finds a program by name or path, and reports a missing one", async () => {
    const questions = ["sh", "/bin/sh", "no such; echo x", "/nowhere/sh", "-v"].map((name) => program(name));
    const answers = await readKind(questions, { shell: argv });
    const [name, path, odd, nowhere, dash] = answers.map(({ value }) => value);
    expect(name).toMatchObject({ path: expect.stringMatching(/(^|\/)sh$/) as string });
    expect(path).toEqual({ path: "/bin/sh" });
    expect([odd, nowhere, dash]).toEqual([absent, absent, absent]);
    answers.forEach(({ value, lines }, index) => {
      expect(programKind.print?.(value as never, questions[index] as never)).toEqual(lines);
    });
  });
});
