/** What stands at a path; links are not followed. */
export interface FileState {
  readonly type: "file" | "directory" | "link" | "other";
  /** Octal, four digits: `"0644"`. */
  readonly mode: string;
  /** Name, or the number where it has none. */
  readonly owner: string;
  readonly group: string;
  /** Where a link points, as written in it. */
  readonly target?: string;
}

/** A file's value with any facets. */
export interface AnyFile extends FileState {
  readonly text?: string;
  readonly sha256?: string;
  readonly seal?: string;
  readonly size?: number;
  readonly changed?: number;
  /** Of a regular file with several names (hard links): device and inode. */
  readonly inode?: string;
}
