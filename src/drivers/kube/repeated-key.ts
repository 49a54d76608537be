const [quote, backslash, colon, opening, closing] = Buffer.from('"\\:{}');

/**
 * Returns a key that occurs twice in an object of this JSON text, or undefined if every key occurs only once.
 * JSON.parse accepts such an object and keeps only the last value. The text must be JSON that JSON.parse accepts.
 */
export function repeatedKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  // A key is the last string before a colon.
  let start = 0;
  let end = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      start = at + 1;
      for (at += 1; json.charCodeAt(at) !== quote; at += 1) if (json.charCodeAt(at) === backslash) at += 1;
      end = at;
    } else if (code === colon) {
      const text = json.slice(start, end);
      const key = text.includes("\\") ? String(JSON.parse(`"${text}"`)) : text;
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    } else if (code === opening) open.push(new Set());
    else if (code === closing) open.pop();
  }
  return undefined;
}
