/**
 * What programs put between letters: colours, links and other sequences of a terminal (ECMA-48), letters struck over, the
 * line breaks of `sed -n l`, and those of base64 and base32 (76 letters in coreutils and MIME, 64 in PEM).
 */
const formatting =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[ -/]+[0-~]|[0-Z\\^-~])|.\u0008|\\\n|(?<=^[\w+/-]{64}|^[\w+/-]{76})\n/gmsu;

/** The text without such formatting: the letters alone. Nearly every text has none of it, and a few looks tell. */
export function unformatted(text: string): string {
  const formatted =
    text.includes("\u001B") ||
    text.includes("\b") ||
    (text.includes("\n") && (text.includes("\\\n") || text.length > 64));
  return formatted ? text.replaceAll(formatting, "") : text;
}
