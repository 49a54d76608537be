import { shellQuote } from "../../core/host/step.ts";

/**
 * The questions as words for a `for` loop: `'3:/etc/fstab' '4:/etc/hosts'`. The question's number precedes the first
 * colon.
 */
export function numbered(questions: readonly { readonly number: number; readonly key: string }[]): string {
  return questions.map(({ number, key }) => shellQuote(`${number}:${key}`)).join(" ");
}
