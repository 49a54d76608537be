import { expect, test } from "vitest";
import { secretOf } from "../../core/secrets/secret.ts";
import { fromDifference, safeLine, showValue } from "./value.ts";

const hidden = ["\u202e", "\u2066", "\u200b", "\u2028", "\u2029", "\u061c", "\ufeff", "\u{e0041}"];

test.each(hidden)("spells out character %#, which a host could use to reverse or hide text", (character) => {
  const text = `rm ${character}fr- file`;
  const spelled = `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0")}`;
  for (const shown of [safeLine(text), showValue(text), showValue([text]), showValue({ [text.length]: text })]) {
    expect(shown).not.toContain(character);
    expect(shown).toContain(spelled);
  }
});

test("shows letters of all languages unchanged", () => {
  for (const text of ["größe", "日本", "עברית", "é"]) expect([safeLine(text), showValue(text)]).toEqual([text, text]);
});

test("shows two long texts starting a little before their first difference", () => {
  const config = (vlan: number): string => `{"name":"platform",${'"padding":"x",'.repeat(12)}"vlan":${vlan},"ipam":{}}`;
  const [old, now] = fromDifference(config(30), config(31));
  expect([old, now].map(showValue)).toEqual([
    '…","padding":"x","vlan":30,"ipam":{}}',
    '…","padding":"x","vlan":31,"ipam":{}}',
  ]);
  expect(fromDifference("a", "b")).toEqual(["a", "b"]);
  expect(fromDifference(`x${config(1)}`, `y${config(1)}`)).toEqual([`x${config(1)}`, `y${config(1)}`]);
});

test("never shows a part of a secret when it leaves out what two texts have in common", () => {
  secretOf("long-secret-of-the-cluster", "token");
  const text = (end: string): string => `${"x".repeat(90)} long-secret-of-the-cluster${end}`;
  const shown = fromDifference(text("1"), text("2")).map(showValue).join();
  expect(shown).not.toMatch(/cluster|secret-of/);
});
