import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "./redact.ts";

/** Encodings of a value as programs produce them, computed independently of the tested code. */
const encoders: Record<string, (value: string) => string> = {
  raw: (value) => value,
  base64: (value) => Buffer.from(value).toString("base64"),
  base64url: (value) => Buffer.from(value).toString("base64url"),
  hex: (value) => Buffer.from(value).toString("hex"),
  json: (value) => JSON.stringify(value).slice(1, -1),
  url: (value) => encodeURIComponent(value),
  form: (value) => new URLSearchParams({ v: value }).toString().slice(2),
  shell: (value) => value.replaceAll("'", `'\\''`),
};

const bytesOf = (value: string): string[] => Buffer.from(value).toString("hex").match(/../g) ?? [];

const secrets = fc
  .string({ unit: "grapheme", minLength: 4, maxLength: 80 })
  .filter((value) => value.isWellFormed() && !value.includes("\n") && value.trim() === value);

describe("redactor", () => {
  it.each(Object.entries(encoders))("hides a secret in the form of %s", (_name, encode) => {
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (value, before, after) => {
        const spelled = encode(value);
        fc.pre(spelled.length >= 4 && !"«secret N»".includes(spelled));
        expect(redactor([{ name: "N", value }])(`${before} ${spelled} ${after}`)).not.toContain(spelled);
      }),
      { numRuns: 300 },
    );
  });

  const turned: Record<string, (value: string) => string> = {
    "hex with spaces": (value) => bytesOf(value).join(" "),
    "hex with colons": (value) => bytesOf(value).join(":").toUpperCase(),
    "C's hex escapes": (value) =>
      bytesOf(value)
        .map((byte) => String.raw`\x` + byte)
        .join(""),
    "an array of bytes": (value) =>
      bytesOf(value)
        .map((byte) => `0x${byte}`)
        .join(", "),
    "xxd's groups": (value) =>
      (
        Buffer.from(value)
          .toString("hex")
          .match(/.{1,4}/g) ?? []
      ).join(" "),
    "upper case": (value) => value.toUpperCase(),
    "lower case": (value) => value.toLowerCase(),
    "backwards, as rev prints it": (value) => Array.from(value).toReversed().join(""),
  };

  it.each(Object.entries(turned))("hides a secret in the form of %s", (_name, encode) => {
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (value, before, after) => {
        fc.pre(value.length >= 8);
        const spelled = encode(value);
        expect(redactor([{ name: "N", value }])(`${before} ${spelled} ${after}`)).not.toContain(spelled);
      }),
      { numRuns: 100 },
    );
  });

  it("finds a secret inside longer base64 at every alignment", () => {
    fc.assert(
      fc.property(secrets, fc.string({ maxLength: 7 }), fc.string({ maxLength: 7 }), (value, before, after) => {
        const text = Buffer.from(`${before}${value}${after}`).toString("base64");
        const left = redactor([{ name: "N", value }])(text);
        expect(left).toContain("«secret N»");
        const rest = left.split("«secret N»").map((part) => Buffer.from(part, "base64").toString());
        for (const part of rest) expect(part).not.toContain(value);
      }),
    );
  });
});
