/**
 * The closest candidate to `word`, if any is close enough: at most two edits away or, for a long word, a third of its
 * length. A candidate that differs only in its digits is a different thing, such as a different host, and not a
 * misspelling.
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3));
  const [best] = candidates
    .filter((candidate) => !isOtherNumber(word, candidate))
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** True if two names differ only in their digits: they then refer to two different things. */
export function isOtherNumber(word: string, candidate: string): boolean {
  const withoutDigits = (text: string): string => text.toLowerCase().replaceAll(/\d+/g, "0");
  return /\d/.test(word) && withoutDigits(candidate) === withoutDigits(word);
}

/** The shortest word in which two wrong letters still count as a misspelling. */
const longWord = 8;

/**
 * The candidate of which `word` is a misspelling, if any: one letter is wrong (two in a long word), or two adjacent
 * letters are swapped. Stricter than {@link closest}, for names that may be correct as they are. `letters`: the number
 * of letters that count, excluding a fixed prefix.
 */
export function misspelling(
  word: string,
  candidates: readonly string[],
  letters: number = word.length,
): string | undefined {
  const limit = letters >= longWord ? 2 : 1;
  return candidates
    .map((candidate) => ({ candidate, distance: isSwapped(word, candidate) ? 1 : editDistance(word, candidate) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)[0]?.candidate;
}

/** True if swapping two adjacent letters of one name gives the other. */
function isSwapped(name: string, other: string): boolean {
  if (name.length !== other.length) return false;
  const at = Array.from(name, (letter, index) => letter === other[index]).indexOf(false);
  return `${name.slice(0, at)}${name[at + 1] ?? ""}${name[at] ?? ""}${name.slice(at + 2)}` === other;
}

/** The number of letters to add, remove or replace in order to turn one word into the other. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
