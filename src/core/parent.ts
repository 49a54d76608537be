/** The directory that an absolute path is in; `/` for what is in the root. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
