import type { ControllerFact } from "../../core/fact.ts";
import type { Absent } from "../../core/symbols.ts";

/** One thing in a directory tree of the controller. */
export type LocalEntry =
  | { readonly type: "directory" }
  | { readonly type: "link"; readonly target: string }
  | {
      readonly type: "file";
      /** Hex. */
      readonly sha256: string;
      /** Bytes. */
      readonly size: number;
      /** Its owner may execute it. */
      readonly executable: boolean;
    };

/** A directory of the controller with all that is below it. */
export interface LocalTree {
  /** Absolute path. */
  readonly path: string;
  /** By path below it, `sub/file`; the directory itself is not among them. */
  readonly entries: Readonly<Record<string, LocalEntry>>;
}

/**
 * Asks the controller for a directory tree of its own; a relative path starts where furrow was started. What matches a
 * pattern of `exclude`, and all below it, is left out (see {@link matchesPattern}).
 */
export function localTree(path: string, exclude: readonly string[]): ControllerFact<Absent | LocalTree> {
  return { driver: "tree", request: { path, exclude } };
}

/** Asks the controller for the content of files in a tree of its own, by path below it, as texts made by decodeBytes. */
export function localTexts(path: string, files: readonly string[]): ControllerFact<Readonly<Record<string, string>>> {
  return { driver: "tree", request: { path, files } };
}

/** True where a path below a tree, or a directory on the way to it, matches a pattern: `*.bak`, `.git`, `cache/*`. */
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
