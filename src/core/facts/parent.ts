/** The directory that contains an absolute path; `/` for a path in the root. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
