/**
 * Formatting that programs put between letters: terminal sequences such as colors and links (ECMA-48), overstruck
 * letters, the line breaks of `sed -n l`, and those of base64 and base32 (76 letters in coreutils and MIME, 64 in PEM).
 */
const formatting =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[ -/]+[0-~]|[0-Z\\^-~])|.\u0008|\\\n|(?<=^[\w+/-]{64}|^[\w+/-]{76})\n/gmsu;

/** Removes formatting that programs put between letters. Most text has none, so a few quick tests come first. */
export function unformatted(text: string): string {
  const formatted =
    text.includes("\u001B") ||
    text.includes("\b") ||
    (text.includes("\n") && (text.includes("\\\n") || text.length > 64));
  return formatted ? text.replaceAll(formatting, "") : text;
}
