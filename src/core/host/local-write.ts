import { FurrowError } from "../errors.ts";

const hints: Readonly<Record<string, string>> = {
  EACCES: "Run furrow as a user who may write there, or choose another path",
  EPERM: "Remove the immutable attribute that lsattr shows, or choose another path",
  EROFS: "Choose a path on a file system that is mounted writable",
  ENOSPC: "Free space on the controller, or choose a path on another file system",
  EDQUOT: "Free space on the controller, or choose a path on another file system",
  EEXIST: "Choose a path below a directory",
  ENOTDIR: "Choose a path below a directory",
  EISDIR: "Choose the path of a file, not of a directory",
  ENAMETOOLONG: "Choose a shorter file name",
};

/** The E_FILE error for a file on the controller that the operating system does not let furrow write. */
export function cannotWrite(path: string, error: unknown): FurrowError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return new FurrowError("E_FILE", {
    what: `${path} on the controller cannot be written`,
    current: error instanceof Error ? error.message : String(error),
    hint: hints[code] ?? "Choose another path on the controller",
    cause: error,
  });
}
