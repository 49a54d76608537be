/** The parts of one line in authorized_keys (sshd(8), AUTHORIZED_KEYS FILE FORMAT). */
export interface KeyLine {
  /** For example `from="10.0.0.0/8",no-pty`; empty if there are no options. */
  readonly options: string;
  /** For example `ssh-ed25519`. */
  readonly type: string;
  /** The key itself, in base64; two lines with equal blobs have the same key. */
  readonly blob: string;
  readonly comment: string;
}

const keyTypes = String.raw`(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+`;
const keyPattern = new RegExp(
  String.raw`^(?:(\S.*?)[ \t]+)??(${keyTypes})[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+(.*?))?[ \t]*$`,
);

/** Parses a line as a key; undefined for comments, blank lines and anything else. Options may contain quoted spaces. */
export function parseKey(line: string): KeyLine | undefined {
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return undefined;
  const start = text.search(new RegExp(String.raw`^${keyTypes}[ \t]`)) === 0 ? 0 : endOfOptions(text);
  const key = keyPattern.exec(text.slice(start).trim());
  if (key === null || key[1] !== undefined) return undefined;
  return { options: text.slice(0, start).trim(), type: key[2] ?? "", blob: key[3] ?? "", comment: key[4] ?? "" };
}

/**
 * Finds the end of the options: the first space outside double quotes. A quote after a backslash does not end the
 * quoted part.
 */
function endOfOptions(text: string): number {
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\" && quoted) at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === " " || character === "\t")) return at;
  }
  return text.length;
}

/** Formats a key as one line. */
export function printKey({ options, type, blob, comment }: KeyLine): string {
  return [options, type, blob, comment].filter((part) => part !== "").join(" ");
}

/** The required content of a file: keys, and the options that they must have. */
export interface WantedKeys {
  readonly keys: readonly KeyLine[];
  /** Undefined leaves the options of a key as they are if the key is already in the file. */
  readonly options: string | undefined;
  readonly present: boolean;
  /** Whether to remove all other keys. */
  readonly exclusive: boolean;
}

/**
 * Edits the file so that it contains each wanted key exactly once, or none of them; all other lines keep their text and
 * position.
 */
export function putKeys(text: string, wanted: WantedKeys): string {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const done = new Set<string>();
  const kept = lines.flatMap((line) => {
    const found = parseKey(line);
    if (found === undefined) return [line];
    const key = wanted.keys.find(({ blob }) => blob === found.blob);
    if (key === undefined) return wanted.exclusive ? [] : [line];
    if (!wanted.present || done.has(key.blob)) return [];
    done.add(key.blob);
    return [withWanted(line, found, key, wanted.options)];
  });
  const missing = wanted.present ? wanted.keys.filter(({ blob }) => !done.has(blob)) : [];
  const added = missing.map((key) => printKey({ ...key, options: wanted.options ?? key.options }));
  const all = [...kept, ...new Set(added)];
  if (all.length === lines.length && all.every((line, index) => line === lines[index])) return text;
  return all.length === 0 ? "" : `${all.join("\n")}\n`;
}

function withWanted(line: string, found: KeyLine, key: KeyLine, options: string | undefined): string {
  const comment = key.comment === "" ? found.comment : key.comment;
  const merged = { ...found, comment, options: options ?? found.options };
  return merged.comment === found.comment && merged.options === found.options ? line : printKey(merged);
}
