import { createHash } from "node:crypto";
import { encodeText } from "../../../core/host/bytes.ts";
import { shellQuote } from "../../../core/host/step.ts";
import { stagedFile, stagedKeeper, stagedLane } from "../on-host/travelling.ts";

/** What every read and write of a staged file is a multiple of, but its last; bytes. */
const unit = 65_536;

/** The file beside `path` in which its new content is staged: the same name the frame's functions use. */
export function stagedPath(path: string): string {
  const at = path.lastIndexOf("/");
  const name = encodeText(path.slice(at + 1));
  const own = name.length < 248 ? path.slice(at + 1) : createHash("sha256").update(name).digest("hex");
  return `${path.slice(0, at)}/.${own}.furrow`;
}

/**
 * Bytes of each block of a content of `size` bytes, but the last: a multiple of 64 KiB that depends on the size alone, so
 * that a later run counts in the same blocks. A content has 4096 of them at most.
 */
export function blockSize(size: number): number {
  return Math.max(4 * 1024 * 1024, Math.ceil(size / 4096 / unit) * unit);
}

/** The keeper of a staged file, of blocks of `block` bytes (on-host/staged-keeper.sh). */
export function keeperScript(path: string, block: number, nonce: string): string {
  return stagedScript(stagedKeeper, path, block, nonce);
}

/** One more way for the blocks of a staged file (on-host/staged-lane.sh). */
export function laneScript(path: string, block: number, nonce: string): string {
  return stagedScript(stagedLane, path, block, nonce);
}

/** One compound command, with what on-host/staged-file.sh wants to be given. */
function stagedScript(script: string, path: string, block: number, nonce: string): string {
  return `{ p=${shellQuote(stagedPath(path))} n=${nonce} u=${block / unit} y=\n${stagedFile}\n${script}\n}\n`;
}

/**
 * A script as the shell of the session gets it: in a shell of its own where it is another user's. What it is about comes
 * as variables: the hash of a secret content is in no argument.
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
