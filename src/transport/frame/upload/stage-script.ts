import { createHash } from "node:crypto";
import { encodeText } from "../../../core/host/bytes.ts";
import { shellQuote } from "../../../core/host/step.ts";
import { stagedFile } from "../on-host/sent/staged-file.ts";
import { stagedKeeper } from "../on-host/sent/staged-keeper.ts";
import { stagedLane } from "../on-host/sent/staged-lane.ts";

/** The size of every read and write of a staged file, except the last, is a multiple of this many bytes. */
const unit = 65_536;

/** The file next to `path` in which its new content is staged. The frame's functions use the same name. */
export function stagedPath(path: string): string {
  const at = path.lastIndexOf("/");
  const name = encodeText(path.slice(at + 1));
  const own = name.length < 248 ? path.slice(at + 1) : createHash("sha256").update(name).digest("hex");
  return `${path.slice(0, at)}/.${own}.furrow`;
}

/**
 * The size of every block but the last, for content of `size` bytes. It is a multiple of 64 KiB and depends on `size`
 * alone, so a later run uses the same blocks. There are at most 4096 blocks.
 */
export function blockSize(size: number): number {
  return Math.max(4 * 1024 * 1024, Math.ceil(size / 4096 / unit) * unit);
}

/** The script of the keeper of a staged file with blocks of `block` bytes (on-host/staged-keeper.sh). */
export function keeperScript(path: string, block: number, nonce: string): string {
  return stagedScript(stagedKeeper, path, block, nonce);
}

/** The script of an additional lane for the blocks of a staged file (on-host/staged-lane.sh). */
export function laneScript(path: string, block: number, nonce: string): string {
  return stagedScript(stagedLane, path, block, nonce);
}

/** One compound command, with the variables that on-host/staged-file.sh needs. */
function stagedScript(script: string, path: string, block: number, nonce: string): string {
  return `{ p=${shellQuote(stagedPath(path))} n=${nonce} u=${block / unit} y=\n${stagedFile}\n${script}\n}\n`;
}

/**
 * Wraps a script for the session's shell: the script runs in a separate shell if another user must run it. The
 * script's parameters are passed as variables, so the hash of secret content is not in any argument.
 */
export function asUser(
  script: string,
  { sha256, size }: { readonly sha256: string; readonly size: number },
  user: string | undefined,
): string {
  const variables = `H=${sha256} Z=${size}`;
  if (user === undefined) return `${variables}; ${script}`;
  const [name, quoted] = [shellQuote(user), shellQuote(script)];
  return `${variables}; export H Z; { if command -v runuser >/dev/null; then exec runuser -u ${name} -- sh -c ${quoted}; fi; exec su -s /bin/sh -c ${quoted} ${name}; }\n`;
}
