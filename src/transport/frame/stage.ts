import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { encodeText } from "../../core/bytes.ts";
import { FurrowError } from "../../core/errors.ts";
import { reveal } from "../../core/secret.ts";
import { shellQuote, type UploadStep, type WriteFileStep } from "../../core/step.ts";
import type { Channel } from "../../core/transport.ts";

/** The file beside `path` in which its new content is staged: the same name the frame's functions use. */
export function stagedPath(path: string): string {
  const at = path.lastIndexOf("/");
  return `${path.slice(0, at)}/.${path.slice(at + 1)}.furrow`;
}

/**
 * Sends the content of a step through a shell of its own into the file beside its target. The frame then checks its
 * hash and renames it. Throws FurrowError E_STEP, E_DISK_FULL, E_FILE or E_UNREACHABLE.
 */
export async function stageContent(shell: Channel, step: UploadStep | WriteFileStep): Promise<void> {
  const nonce = `f${randomBytes(8).toString("hex")}`;
  const target = shellQuote(stagedPath(step.path));
  const said = { out: "", err: "" };
  const ready = new Promise<void>((resolve) => {
    shell.onStdout((data) => {
      said.out += Buffer.from(data).toString("latin1");
      if (said.out.includes(nonce)) resolve();
    });
  });
  shell.onStderr((data) => {
    said.err = (said.err + Buffer.from(data).toString("utf8")).slice(-2000);
  });
  shell.ended.catch(() => {});
  // Only when the marker has come back may bytes follow: the shell must not read them as commands.
  const script = `{ umask 077; rm -f -- ${target}; set -C; printf '${nonce}\\n'; exec cat >${target}; }\n`;
  await shell.write(Buffer.from(script));
  const early = await Promise.race([ready, shell.ended]);
  if (early === undefined) {
    try {
      for await (const chunk of contentOf(step)) await shell.write(chunk);
    } catch (error) {
      shell.destroy();
      throw unreadable(step, error);
    }
    shell.end();
  }
  const { code } = await shell.ended;
  if (code === 0) return;
  const full = /no space left/i.test(said.err);
  throw new FurrowError(full ? "E_DISK_FULL" : "E_STEP", {
    what: `the content of ${step.path} cannot be sent to the host`,
    current: said.err.trim() || `exit code ${code}`,
    hint: full ? "Free space on the host and run again" : "Look whether the folder exists and can be written",
  });
}

async function* contentOf(step: UploadStep | WriteFileStep): AsyncGenerator<Uint8Array> {
  if (step.step === "writeFile") yield encodeText(reveal(step.text));
  else yield* createReadStream(step.from, { highWaterMark: 262_144 }) as AsyncIterable<Uint8Array>;
}

function unreadable(step: UploadStep | WriteFileStep, error: unknown): Error {
  if (step.step === "writeFile" || !(error instanceof Error) || !("code" in error)) return error as Error;
  return new FurrowError("E_FILE", { what: `${step.from} cannot be read`, current: error.message, cause: error });
}
