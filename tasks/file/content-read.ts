/** What a step that writes an edited text replaces: the content it was made from, or null where there was no file. */
export function contentRead(read: unknown): string | null {
  return typeof read === "object" && read !== null && "text" in read && typeof read.text === "string"
    ? read.text
    : null;
}
