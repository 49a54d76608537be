import { type ControllerFact, onlyRead } from "../../core/facts/fact.ts";
import type { Absent } from "../../core/facts/symbols.ts";

/** An entry of a directory tree on the controller. */
export type LocalEntry =
  | { readonly type: "directory" }
  | { readonly type: "link"; readonly target: string }
  | {
      readonly type: "file";
      /** Hex. */
      readonly sha256: string;
      /** Size in bytes. */
      readonly size: number;
      /** True if the file's owner may execute it. */
      readonly executable: boolean;
    };

/** A directory on the controller with everything below it. */
export interface LocalTree {
  /** Absolute path. */
  readonly path: string;
  /** The entries by their path relative to the directory: `sub/file`. The directory itself is not included. */
  readonly entries: Readonly<Record<string, LocalEntry>>;
}

/**
 * Asks for a directory tree on the controller; a relative path is resolved against furrow's working directory. Entries
 * that match a pattern in `exclude`, and everything below them, are omitted (see {@link matchesPattern}).
 */
export function localTree(path: string, exclude: readonly string[]): ControllerFact<Absent | LocalTree> {
  return onlyRead({ driver: "tree", request: { path, exclude } });
}

/**
 * Asks for the content of files in a tree on the controller, decoded by decodeBytes and keyed by their path relative to
 * the tree.
 */
export function localTexts(path: string, files: readonly string[]): ControllerFact<Readonly<Record<string, string>>> {
  return onlyRead({ driver: "tree", request: { path, files } });
}

/** True if a path in a tree, or one of its parent directories, matches a pattern: `*.bak`, `.git`, `cache/*`. */
export function matchesPattern(path: string, patterns: readonly string[]): boolean {
  const parts = path.split("/");
  return patterns.some((pattern) => {
    const expression = new RegExp(
      `^${pattern
        .split(/(\*\*|\*|\?)/)
        .map((part) => (part === "**" ? ".*" : part === "*" ? "[^/]*" : part === "?" ? "[^/]" : escape(part)))
        .join("")}$`,
      "s",
    );
    return parts.some((part, at) => expression.test(part) || expression.test(parts.slice(0, at + 1).join("/")));
  });
}

function escape(text: string): string {
  return text.replaceAll(/[$()+.[\\\]^{|}]/g, String.raw`\$&`);
}
