import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leftOutNote, redactCuts } from "./cuts.ts";
import { redact, redactor } from "./redact.ts";
import { secretOf } from "./secret.ts";

describe("redactor", () => {
  it("does not mistake ordinary words for a short secret in another case", () => {
    expect(redactor([{ name: "N", value: "Admin12" }])("the admin12 of 41 64 6d")).toBe("the admin12 of 41 64 6d");
  });

  it("does not change a text without secrets", () => {
    const clean = redactor([{ name: "N", value: "correct horse" }]);
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("correct")),
        (text) => {
          expect(clean(text)).toBe(text);
        },
      ),
    );
  });

  it("replaces a multi-line secret line by line", () => {
    const key = "-----BEGIN KEY-----\nabcdefgh\nijklmnop\n}\n-----END KEY-----\n";
    const clean = redactor([{ name: "key", value: key }]);
    expect(clean("+ijklmnop")).toBe("+«secret key»");
    expect(clean(`before ${key} after`)).toBe("before «secret key» after");
    expect(clean("}")).toBe("}");
    expect(clean("-----BEGIN KEY-----")).toBe("-----BEGIN KEY-----");
  });

  it("finds base64 of base64, such as a Kubernetes Secret in a file that is itself base64", () => {
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const clean = redactor([{ name: "N", value: "Tr0ub4dor&3" }]);
    for (const before of ["", "a", "ab"]) {
      const hidden = clean(base64(`${before}${base64("Tr0ub4dor&3")} and more`));
      expect(hidden).toContain("«secret N»");
      expect(Buffer.from(hidden.replaceAll("«secret N»", ""), "base64").toString()).not.toContain("VHIwd");
    }
  });

  it("finds a secret in which `tr a-z A-Z` changed only the ASCII letters", () => {
    const clean = redactor([{ name: "N", value: "Tr0ub4dor&3é" }]);
    expect(clean("TR0UB4DOR&3é tr0ub4dor&3é")).toBe("«secret N» «secret N»");
  });

  it("finds long base64 that a tool broke into lines", () => {
    const value = "0123456789abcdefghijklmnopqrstuvwxyz".repeat(4);
    const wrapped =
      Buffer.from(value)
        .toString("base64")
        .match(/.{1,76}/g) ?? [];
    const left = wrapped.map((line) => redactor([{ name: "N", value }])(line));
    for (const line of left) expect(line.replaceAll("«secret N»", "").length).toBeLessThan(48);
  });

  it("replaces a very short secret only as a whole word", () => {
    const clean = redactor([{ name: "pin", value: "42" }]);
    expect(clean("pin 42, not 4242 or a42")).toBe("pin «secret pin», not 4242 or a42");
  });

  it("prefers the longer of two secrets", () => {
    const clean = redactor([
      { name: "short", value: "hunter" },
      { name: "long", value: "hunter2-and-more" },
    ]);
    expect(clean("hunter2-and-more hunter")).toBe("«secret long» «secret short»");
  });
});

describe("redact", () => {
  it("prints markers without ids, and also finds secrets created later", () => {
    const first = secretOf("first-value", "first");
    expect(redact(`${String(first)} first-value`)).toBe("«secret first» «secret first»");
    secretOf("second-value", "second");
    expect(redact("second-value")).toBe("«secret second»");
  });

  it("is fast if nothing matches", () => {
    const line = "x".repeat(120);
    const start = performance.now();
    for (let count = 0; count < 20_000; count += 1) redact(line);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

it("finds a secret configuration file of any length by its lines", () => {
  const lines = Array.from({ length: 2000 }, (_, number) => `# setting number ${number} is left as it is`);
  const value = [...lines, "password = hunter22"].join("\n");
  const hide = redactor([{ name: "conf", value }]);
  expect(hide("it says password = hunter22 there")).toBe("it says «secret conf» there");
  expect(hide(Buffer.from(value).toString("base64"))).not.toContain(
    Buffer.from("hunter22").toString("base64").slice(2, 8),
  );
});

describe("output with a part left out", () => {
  it("shows neither half of a secret that was cut in two, in plain text or in base64", () => {
    const value = "hunter2-and-a-tail-ABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789";
    secretOf(value, "CUT");
    for (const spelled of [value, Buffer.from(value).toString("base64")]) {
      for (let at = 4; at < spelled.length - 4; at += 1) {
        const [before, behind] = [spelled.slice(0, at), spelled.slice(at)];
        const shown = redact(`out: ${before}${leftOutNote(4096)}${behind} and more`);
        expect(shown).not.toContain(before);
        expect(shown).not.toContain(behind);
        expect(shown).toContain("4096 bytes left out");
        expect(redactCuts(`${leftOutNote("some")}${behind}`)).not.toContain(behind);
      }
    }
  });

  it("is shown unchanged if no secret was cut", () => {
    const text = `first line${leftOutNote(12)}last line`;
    expect(redact(text)).toBe(text);
  });
});
