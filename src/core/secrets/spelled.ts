/**
 * The number of comparisons after which one expression for all spellings is built. Building it takes as long as this
 * many comparisons, and a short run has fewer.
 */
const mostComparisons = 200_000;
/**
 * The number of characters of a text that count as one comparison: `includes` searches about this many in that time.
 */
const charactersAtOnce = 64;

/**
 * Returns a function that replaces these spellings in a string with `«secret NAME»`. `names` maps each spelling to the
 * name of its secret; `pattern` makes a regular expression from a spelling.
 */
export function spelledRedactor(
  names: ReadonlyMap<string, string>,
  pattern: (spelling: string) => string,
): (text: string) => string {
  // Longest first, so that a whole value is replaced rather than a part of it.
  const longestFirst = [...names.keys()].toSorted((a, b) => b.length - a.length);
  const replaced = (text: string, expression: RegExp): string =>
    text.replaceAll(expression, (found) => `«secret ${names.get(found) ?? "?"}»`);
  let whole: RegExp | undefined;
  let comparisons = 0;
  return (text) => {
    if (whole !== undefined) return replaced(text, whole);
    comparisons += longestFirst.length * Math.ceil(text.length / charactersAtOnce);
    if (comparisons > mostComparisons) {
      whole = expressionOf(longestFirst.map(pattern));
      return replaced(text, whole);
    }
    // Only spellings that the text contains can match, so the result is the same.
    const contained = longestFirst.filter((spelling) => spelling.length <= text.length && text.includes(spelling));
    return contained.length === 0 ? text : replaced(text, expressionOf(contained.map(pattern)));
  };
}

function expressionOf(alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join("|"), "g");
}
