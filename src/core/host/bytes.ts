const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes bytes to text without loss: UTF-8 sequences become characters, and every other byte 0x80…0xFF becomes a lone
 * surrogate U+DC80…U+DCFF (as in PEP 383). {@link encodeText} returns the same bytes.
 */
export function decodeBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeMixed(bytes);
  }
}

function decodeMixed(bytes: Uint8Array): string {
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
      at += 1;
    } else {
      text += strict.decode(bytes.subarray(at, at + length));
      at += length;
    }
  }
  return text;
}

/** Length of the UTF-8 sequence at `at`, or 0 if the bytes are malformed. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  try {
    strict.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Encodes text that {@link decodeBytes} returned or a user wrote; the inverse of decodeBytes. */
export function encodeText(text: string): Uint8Array {
  if (!loneSurrogate.test(text)) return Buffer.from(text, "utf8");
  const parts: Buffer[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    parts.push(code >= 0xdc80 && code <= 0xdcff ? Buffer.from([code - 0xdc00]) : Buffer.from(character, "utf8"));
  }
  return Buffer.concat(parts);
}
