const noVerbs = new Set(
  "A All An And Any As At Be But By For From He How If In Is It Its No Not Of On Or Our Please So Some That The Their There These They This To We What When Where Which With You Your".split(
    " ",
  ),
);

/** Imperatives that look like other verb forms. */
const endsAlike = new Set("Access Address Bring Bypass Compress Discuss Focus Pass Ping Press Process".split(" "));

/**
 * Describes the fault in a sentence that must begin with a verb and must not end with a period; undefined if the
 * sentence is correct.
 */
export function faultOfSentence(text: string): string | undefined {
  if (text.trim() !== text || text === "" || text.includes("\n")) return "is not one line of text";
  const [first = ""] = text.split(/[^\w]/);
  if (!/^[A-Z][a-z]+$/.test(first)) return "does not begin with a capitalized verb";
  if (noVerbs.has(first)) return `begins with "${first}", which is not a verb`;
  if (/(s|ing|[^e]ed)$/.test(first) && !endsAlike.has(first)) {
    return `begins with "${first}", which is not an imperative: use the verb's plain form`;
  }
  return /[^.]\.$/.test(text) ? "ends with a period" : undefined;
}
