import { describe, expect, it } from "vitest";
import { redactor } from "./redact.ts";

const hide = (value: string, text: string): string => redactor([{ name: "N", value }])(text);
const inJson = (text: string): string => JSON.stringify({ log: text });
const inXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const everyCharacter = (text: string, write: (code: number) => string): string =>
  Array.from(text, (character) => write(character.codePointAt(0) ?? 0)).join("");
/** The text in JSON as Go programs such as docker and Kubernetes write it. */
const inGoJson = (text: string): string =>
  JSON.stringify({ log: text }).replaceAll(
    /[&<>]/g,
    (character) => String.raw`\u00` + character.charCodeAt(0).toString(16),
  );

const secrets = [
  'Tr0ub4dor"&3-xyz',
  String.raw`Tr0ub4dor\back"&3-xyz`,
  "Tr0ub4dor<it's>&3-xyz",
  "Tr0ub4dor\ttab/é-xyz",
  String.raw`Tr0ub4dor\u0041&#65;\047&amp;-xyz`,
  'Tr0ub4dor"-xyz\\',
  "plain-Tr0ub4dor-xyz",
];

describe.each(secrets)("the secret %j", (value) => {
  it("does not appear in JSON inside JSON, as in a docker log", () => {
    const once = JSON.stringify({ password: value });
    const twice = inJson(`${once}\n`);
    const texts = [once, twice, inJson(twice), inJson(inJson(twice)), inGoJson(once), inGoJson(inGoJson(once))];
    for (const text of texts) {
      expect(hide(value, text)).toMatch(/^(?:\{\\*"log\\*":\\*")*\{\\*"password\\*":\\*"«secret N»[\\"}n]*$/);
    }
  });

  it("does not appear in JSON inside XML, or in XML inside JSON", () => {
    for (const text of [inXml(inJson(value)), inJson(inXml(value)), inGoJson(inXml(value)), inXml(inXml(value))]) {
      expect(hide(value, text)).toContain("«secret N»");
      expect(hide(value, text)).not.toMatch(/ub4d|xyz/);
    }
  });

  it("does not appear if every character is escaped in JSON or XML", () => {
    const hex = (code: number): string => code.toString(16).padStart(4, "0");
    const forms = [
      everyCharacter(value, (code) => `&#${code};`),
      everyCharacter(value, (code) => `&#x${code.toString(16)};`),
      everyCharacter(value, (code) => `&#x${hex(code).toUpperCase()};`),
      everyCharacter(value, (code) => String.raw`\u${hex(code)}`),
      everyCharacter(value, (code) => String.raw`\\u${hex(code).toUpperCase()}`),
    ];
    for (const form of forms) expect(hide(value, `<${form}>`)).toBe("<«secret N»>");
  });
});

it("does not change escapes in a text without secrets", () => {
  const text = String.raw`C:\new\folder \u0041 &amp; &lt;a&gt; &#65; &#99999999; "\"\\\"" DOMuser1 \DOMuser1`;
  expect(hide(String.raw`DOM\user1`, text)).toBe(text);
});

it("reads a megabyte of escapes in less than a second of processor time", () => {
  const start = process.cpuUsage();
  hide('Tr0ub4dor"&3-xyz', "&#38;#38;amp;amp;".repeat(30_000) + '\\\\\\"a'.repeat(100_000));
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});
