import { shellQuote } from "../../core/host/step.ts";

/** Words for a `for` loop over questions: `'3:/etc/fstab' '4:/etc/hosts'`, with the number before the first colon. */
export function numbered(questions: readonly { readonly number: number; readonly key: string }[]): string {
  return questions.map(({ number, key }) => shellQuote(`${number}:${key}`)).join(" ");
}
