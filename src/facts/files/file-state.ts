/** The state of a path: type, mode, owner and group. Links are not followed. */
export interface FileState {
  readonly type: "file" | "directory" | "link" | "other";
  /** Octal, four digits: `"0644"`. */
  readonly mode: string;
  /** The name of the file's owner, or the number if it has no name. */
  readonly owner: string;
  readonly group: string;
  /** The target of a link, as stored in the link. */
  readonly target?: string;
}

/** The value of a file, with any of its facets. */
export interface AnyFile extends FileState {
  readonly text?: string;
  readonly sha256?: string;
  readonly seal?: string;
  readonly size?: number;
  readonly changed?: number;
  /** Device and inode of a regular file that has several hard links. */
  readonly inode?: string;
}

/**
 * The text of a file, taken from the file's value; undefined if the file does not exist or its text was not read.
 */
export function fileText(value: unknown): string | undefined {
  const text = typeof value === "object" && value !== null && "text" in value ? value.text : undefined;
  return typeof text === "string" ? text : undefined;
}
