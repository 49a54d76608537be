const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 according to RFC 4648, padded. */
export function base32(bytes: Uint8Array): string {
  const { text, bits, rest } = lettersOf(bytes, 0);
  const whole = bits === 0 ? text : text + (alphabet[(rest << (5 - bits)) & 31] ?? "");
  return whole.padEnd(Math.ceil(whole.length / 8) * 8, "=");
}

/** The letters that do not change when the bytes are inside longer data, for each of the five alignments. */
export function base32Inside(bytes: Uint8Array): string[] {
  return [0, 1, 2, 3, 4].map((skipped) => lettersOf(bytes, skipped).text);
}

/**
 * The letters of all complete groups of five bits after the first `skipped` bits. `bits` is the number of bits left
 * over, `rest` their value.
 */
function lettersOf(bytes: Uint8Array, skipped: number): { text: string; bits: number; rest: number } {
  let text = "";
  let rest = 0;
  let bits = -skipped;
  for (const byte of bytes) {
    rest = ((rest << 8) | byte) & 0xf_ff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(rest >> bits) & 31] ?? "";
    }
  }
  return { text, bits, rest };
}
