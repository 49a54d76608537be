import { createHash } from "node:crypto";
import { encodeText } from "../../core/host/bytes.ts";
import { type Match, match } from "../../core/facts/compare.ts";
import { reveal, seal } from "../../core/secrets/secret.ts";
import { type Absent, absent, knownAfterApply } from "../../core/facts/symbols.ts";
import type { AnyFile } from "./file-state.ts";

const unknown = knownAfterApply as never;

/** Hex SHA-256 of bytes. */
export function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * Predicts a file's content after `want` is applied to `old`. A wanted text predicts its hash, seal and size; a wanted
 * hash predicts only itself.
 */
export function contentOf(want: Partial<AnyFile>, old: Partial<AnyFile>): Partial<AnyFile> {
  const kept = want.text === undefined && want.sha256 === undefined;
  if (want.text !== undefined && typeof want.text === "string") {
    const content = encodeText(reveal(want.text));
    return { text: want.text, sha256: sha256(content), seal: seal(content), size: content.length };
  }
  if (!kept) return { text: unknown, sha256: want.sha256 ?? unknown, seal: unknown, size: unknown };
  return {
    text: old.text ?? unknown,
    sha256: old.sha256 ?? unknown,
    seal: old.seal ?? unknown,
    size: old.size ?? unknown,
  };
}

/**
 * Predicts what another hard link to a file shows after one link has changed: new content creates a new file, but
 * attributes are shared.
 */
export function hardLinkValue(other: Absent | AnyFile, from: Absent | AnyFile, to: Absent | AnyFile): Absent | AnyFile {
  if (other === absent) return other;
  const content = contentMatch(from, to);
  if (content === "differs" || to === absent) return { ...other, changed: unknown };
  const open = content === "unknown";
  const { mode, owner, group } = to;
  return open
    ? { ...other, mode: unknown, owner: unknown, group: unknown, changed: unknown }
    : { ...other, mode, owner, group, changed: to.changed ?? unknown };
}

/**
 * Compares a path's content before and after a change, ignoring mode and owner; `unknown` if they cannot be compared.
 */
export function contentMatch(from: Absent | AnyFile, to: Absent | AnyFile): Match {
  if (from === absent || to === absent) return from === to ? "same" : "differs";
  const type = match(to.type, from.type);
  if (type !== "same") return type;
  if (from.type !== "file") return match(to.target, from.target);
  const facets = ["sha256", "seal", "text"] as const;
  const isKnown = (state: AnyFile, facet: (typeof facets)[number]): boolean =>
    (state[facet] ?? knownAfterApply) !== knownAfterApply;
  const common = facets.find((facet) => isKnown(from, facet) && isKnown(to, facet));
  if (common !== undefined) return match(to[common], from[common]);
  return facets.some((facet) => isKnown(from, facet) || isKnown(to, facet)) ? "unknown" : "same";
}
