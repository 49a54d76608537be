/**
 * The content that an edited text was made from, which the step compares before it writes; null if there was no file.
 */
export function contentRead(read: unknown): string | null {
  return typeof read === "object" && read !== null && "text" in read && typeof read.text === "string"
    ? read.text
    : null;
}
