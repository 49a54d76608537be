/**
 * Returns the content from which a task derived the new content of a file; null if there was no file. Before the step
 * writes, it compares the file with this content.
 */
export function contentRead(read: unknown): string | null {
  return typeof read === "object" && read !== null && "text" in read && typeof read.text === "string"
    ? read.text
    : null;
}
