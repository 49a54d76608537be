import { paramSets } from "../../core/params/param-table.ts";
import { isSecret, printMarkers } from "../../core/secrets/secret.ts";
import { sayError, type Subject } from "./subject.ts";
import { faultOfSentence } from "./wording.ts";

/**
 * The card must be complete: a name, a summary, a description of every param, examples that match the schema, and
 * one-line titles.
 */
export function cardLaws({ module: { card }, folder }: Subject): string[] {
  const broken: string[] = [];
  const expected = folder?.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  if (expected !== undefined && card.name !== expected) {
    broken.push(`the name is "${card.name}", but its folder "${folder}" requires "${expected}"`);
  }
  const fault = faultOfSentence(card.summary);
  if (fault !== undefined) broken.push(`the summary ${fault}: "${card.summary}"`);
  if (card.cannotPredict !== undefined && card.cannotPredict.trim() === "") broken.push("cannotPredict is empty");
  return [...broken, ...paramLaws(card), ...exampleLaws(card)];
}

type Card = Subject["module"]["card"];

function paramLaws({ params }: Card): string[] {
  return paramSets(params).flatMap(({ about, rows }) =>
    rows
      .filter(({ text }) => text.trim() === "")
      .map(
        ({ name }) => `param "${name}"${about === undefined ? "" : ` (${about})`} is not described: add .describe()`,
      ),
  );
}

function exampleLaws(card: Card): string[] {
  if (card.examples.length === 0) return ["there is no example: show at least one use in the card"];
  return card.examples.flatMap((example) => {
    const shown = printMarkers(JSON.stringify(example) ?? "");
    const parsed = card.params.safeParse(example);
    if (!parsed.success) return [`the example ${shown} does not match the params: ${parsed.error.issues[0]?.message}`];
    const loose = card.params.safeParse({ ...(example as object), noSuchParam: 1 });
    return [
      ...(loose.success ? ["an unknown param is ignored: use z.strictObject for the params"] : []),
      ...titleLaws(card, parsed.data),
    ];
  });
}

/** A title must be one line of text without secrets. */
export function titleLaws(card: Card, params: unknown): string[] {
  if (card.title === undefined) return [];
  try {
    const title = card.title(params);
    if (title.trim() === "" || title.includes("\n"))
      return [`the title is not one line of text: ${JSON.stringify(title)}`];
    return isSecret(title) ? [`the title contains a secret: ${printMarkers(title)}`] : [];
  } catch (error) {
    return [`the title function fails: ${sayError(error)}`];
  }
}
