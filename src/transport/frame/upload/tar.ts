/** Size of a tar block, in bytes. */
const block = 512;

/** Programs read an archive in units of this many bytes. The size of an archive is a multiple of this. */
const record = 20 * block;

/**
 * The archive header of a regular file (mode 0600) or a directory (mode 0700), in the ustar format that POSIX describes
 * (pax, "ustar Interchange Format"). `name` is ASCII and has at most 100 bytes.
 */
export function tarHeader(name: string, bytes: number, type: "file" | "directory" = "file"): Buffer {
  const header = Buffer.alloc(block);
  const put = (text: string, at: number): number => header.write(text, at, "latin1");
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
  put(name, 0);
  put(octal(type === "file" ? 0o600 : 0o700, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(bytes, 11), 124);
  put(octal(0, 11), 136);
  put(" ".repeat(8), 148);
  put(type === "file" ? "0" : "5", 156);
  put("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** The zeros between the end of a file's content and the next header. */
export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((block - (bytes % block)) % block);
}

/** The end of an archive that has `bytes` bytes so far. */
export function tarEnd(bytes: number): Buffer {
  const end = bytes + 2 * block;
  return Buffer.alloc(Math.ceil(end / record) * record - bytes);
}
