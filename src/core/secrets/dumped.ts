/** Separators that may precede a digit in a dump: `73 33`, `73:33`, `7333 6372`, `\x73\x33`, `0x73, 0x33`. */
const separator = String.raw`[ :,_-]{0,2}(?:0x|\\?x|%)?`;
/** Four groups of digits in a row, as in every dump. Most text has none, so this test quickly rules it out. */
const manyBytes = /(?<![\da-f])[\da-f]{2,8}(?:(?:[ :,_-]{1,2}(?:0x|\\?x)?|\\\\?x|%|0x)[\da-f]{2,8}){3}/i;
const run = new RegExp(String.raw`[\da-f](?:${separator}[\da-f]){7,}`, "gi");
const nextDigit = new RegExp(String.raw`${separator}([\da-f])`, "gi");

/**
 * Returns a function that replaces these hex values wherever a program has dumped them, in upper or lower case and with
 * separators between the digits. `values` returns a map from each value, in lower case, to the name of its secret.
 * `values` is not called until the first text with a dump is found, because most output contains no dumps. The function
 * compares only the digits, because a single expression with separators between all bytes of a long secret takes tens
 * of milliseconds to compile.
 */
export function dumpRedactor(values: () => ReadonlyMap<string, string>): (text: string) => string {
  let names: ReadonlyMap<string, string> | undefined;
  let known = /(?!)/g;
  const redacted = (dump: string): string => {
    if (names === undefined) {
      names = values();
      // Longest first, so that a whole value is replaced rather than a part of it.
      const longestFirst = [...names.keys()].toSorted((a, b) => b.length - a.length);
      if (longestFirst.length > 0) known = new RegExp(longestFirst.join("|"), "g");
    }
    const digits = dump.toLowerCase().replaceAll(/0x|[^\da-f]/g, "");
    const finds = [...digits.matchAll(known)];
    if (finds.length === 0) return dump;
    const places = placesOfDigits(dump);
    let text = "";
    let from = 0;
    for (const found of finds) {
      text += `${dump.slice(from, places[found.index])}«secret ${names?.get(found[0]) ?? "?"}»`;
      from = (places[found.index + found[0].length - 1] ?? 0) + 1;
    }
    return text + dump.slice(from);
  };
  return (text) => (manyBytes.test(text) ? text.replaceAll(run, redacted) : text);
}

/** The position of each digit in the dump. */
function placesOfDigits(dump: string): Uint32Array {
  const places = new Uint32Array(dump.length);
  let count = 0;
  for (const found of dump.matchAll(nextDigit)) places[count++] = found.index + found[0].length - 1;
  return places;
}
