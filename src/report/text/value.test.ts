import { expect, test } from "vitest";
import { safeLine, showValue } from "./value.ts";

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
