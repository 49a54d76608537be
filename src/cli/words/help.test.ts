import { expect, test } from "vitest";
import { inColumns } from "../../report/text/wrapped.ts";
import { allCards, cardText } from "../commands/doc.ts";
import { commandHelp, commands } from "./help.ts";
import type { CommandName } from "./flags.ts";

/** The lines longer than 80 columns that could have been broken at a space. */
function tooLong(text: string): string[] {
  return text.split("\n").filter((line) => line.length > 80 && /\S \S.* /.test(line.slice(2, 80)));
}

test("the help of a command fits in 80 columns, and breaks between words", () => {
  for (const name of Object.keys(commands) as CommandName[]) {
    const [whole, narrow] = [commandHelp(name), commandHelp(name, (label, text) => inColumns(label, text, 80))];
    const options = narrow.slice(0, narrow.indexOf("Examples:"));
    expect(tooLong(options), name).toEqual([]);
    expect(narrow.split(/\s+/), name).toEqual(whole.split(/\s+/));
  }
});

test("furrow doc user fits in 80 columns, and breaks between words", () => {
  const card = allCards().find(({ name }) => name === "user");
  if (card === undefined) throw new Error("no task user");
  const [whole, narrow] = [cardText(card), cardText(card, 80)];
  expect(tooLong(whole).length).toBeGreaterThan(0);
  expect(tooLong(narrow)).toEqual([]);
  expect(narrow.split(/\s+/)).toEqual(whole.split(/\s+/));
});
