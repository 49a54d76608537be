/** A phrase that makes readers stumble, and what to write instead. */
interface OddPhrase {
  readonly odd: RegExp;
  readonly instead: string;
}

/**
 * Phrases that are correct but that no engineer would use. The same list applies to comments, strings and pages. Write
 * short sentences, put the subject first, and use the usual terms of the field.
 */
export const oddPhrases: readonly OddPhrase[] = [
  {
    odd: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|need\b|way\b|one\b|other\b|matter\b|sense\b|use\b|different\b)[a-z]/i,
    instead: '"is not a …"',
  },
  { odd: /\b(?:is|are|was|were) none\b/i, instead: '"does not exist", "is empty" or "has none"' },
  { odd: /\bane(?:w)\b/i, instead: '"again"' },
  { odd: /\bmend(?:s|ed|ing)?\b/i, instead: '"fix"' },
  { odd: /\b(?:is|are|was|were) yet to (?:be)\b/i, instead: '"does not exist yet", "is not … yet"' },
  { odd: /\bwhat (?:of)\b/i, instead: '"the part of … that"' },
  { odd: /\bof what (?:is|are|was|were)\b/i, instead: "name the thing" },
  { odd: /\bwhat (?:became|becomes|become) of\b/i, instead: '"the result of", "what happens to"' },
  { odd: /\bthat (?:is|are|was|were) to (?:be|become)\b/i, instead: '"will be", "must be", "planned"' },
  { odd: /\b(?:came|come|comes) to be\b/i, instead: '"became", "was made"' },
  {
    odd: /\b(?:came|come|comes|bring|brings|brought) (?:it |them |this |that )?about\b/i,
    instead: '"cause", "make", "create"',
  },
  { odd: /\bin (?:vain)\b/i, instead: '"without success", "for nothing"' },
  { odd: /\bheld to (?:be|its|it|the|that|this)\b/i, instead: '"must match", "is checked against"' },
  { odd: /\b(?:is|are|was|were) told of\b/i, instead: '"is reported", "is shown"' },
  {
    odd: /\bbeside (?:it|its|the|that|this|them|what|a|an|each|others?|one)\b/i,
    instead: '"next to" for a place, "besides" or "apart from"',
  },
  { odd: /\bfor ever\b/i, instead: '"forever", "without end"' },
  { odd: /\bin one go\b/i, instead: '"at once", "together"' },
  {
    odd: /(?:^|[.;:(*/]\s+)Of (?:a|an|the|what|its|each|all|it|them|those|this|two|several)\b/,
    instead: "put the subject first",
  },
  { odd: /\b(?:is|are|was|were) said of\b/i, instead: '"applies to", "is reported for"' },
  { odd: /\bfurrow's to\b/i, instead: "say who does it" },
  { odd: /\bno (?:failure|mistake|harm) of\b/i, instead: "say what it is" },
  { odd: /\bso be it\b|\bbe it (?:a|an|the)\b/i, instead: '"whether … or"' },
  { odd: /\bwhoever\b/i, instead: '"the user who", "the caller", "the run that"' },
  { odd: /\b(?:is|are) at work\b/i, instead: '"is running"' },
  { odd: /\bsurely\b/i, instead: '"certainly", or leave it out' },
];

/** An occurrence of an odd phrase. */
interface OddPlace {
  /** Line number, counted from 1. */
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

/** Finds the odd phrases in a source file or page. A phrase can continue across a line end, even inside a comment. */
export function oddIn(text: string): OddPlace[] {
  // The replacement has the same length, so positions do not change.
  const flat = text.replaceAll(/\n\s*(?:\*(?!\/)|\/\/)?\s*/g, (gap) => " ".repeat(gap.length));
  return oddPhrases.flatMap(({ odd, instead }) =>
    [...flat.matchAll(spaced(odd))].map(({ 0: found, index }) => ({
      line: text.slice(0, index).split("\n").length,
      found: found.trim().replaceAll(/\s+/g, " "),
      instead,
    })),
  );
}

const known = new Map<RegExp, RegExp>();

/** The pattern, with each space matching any amount of whitespace. */
function spaced(odd: RegExp): RegExp {
  const made = known.get(odd) ?? new RegExp(odd.source.replaceAll(/(?<!\[[^\]]*) /g, String.raw`\s+`), `g${odd.flags}`);
  known.set(odd, made);
  return made;
}
