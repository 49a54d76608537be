/** What is at a path; links are not followed. */
export interface FileState {
  readonly type: "file" | "directory" | "link" | "other";
  /** Octal, four digits: `"0644"`. */
  readonly mode: string;
  /** Name, or the number if it has no name. */
  readonly owner: string;
  readonly group: string;
  /** The target of a link, as stored in it. */
  readonly target?: string;
}

/** A file's value with any facets. */
export interface AnyFile extends FileState {
  readonly text?: string;
  readonly sha256?: string;
  readonly seal?: string;
  readonly size?: number;
  readonly changed?: number;
  /** For a regular file with several hard links: device and inode. */
  readonly inode?: string;
}
