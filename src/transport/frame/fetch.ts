import { dirname, resolve } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import { type FetchStep, shellQuote } from "../../core/step.ts";
import type { Channel } from "../../core/transport.ts";
import { randomBytes } from "../../core/world.ts";
import { outside } from "../outside.ts";

/**
 * Brings a file of the host to the controller through a shell of its own: written beside its target, in a folder that
 * is made where it is missing, synced, renamed.
 * Throws FurrowError E_STEP where the host cannot read it, E_FILE where it cannot be written here.
 */
export async function fetchFile(shell: Channel, step: FetchStep): Promise<void> {
  const nonce = `f${randomBytes(8).toString("hex")}\n`;
  const temporary = `${step.to}.furrow`;
  let complaint = "";
  shell.onStderr((data) => {
    complaint = (complaint + Buffer.from(data).toString("utf8")).slice(-2000);
  });
  const file = await openNew(temporary, Number.parseInt(step.mode, 8)).catch((error: unknown) => {
    shell.destroy();
    throw new FurrowError("E_FILE", { what: `${step.to} cannot be written`, current: String(error), cause: error });
  });
  let head: Buffer | undefined = Buffer.alloc(0);
  let writing: Promise<unknown> = Promise.resolve();
  shell.onStdout((data) => {
    let body: Buffer = Buffer.from(data);
    if (head) {
      head = Buffer.concat([head, body]);
      const at = head.indexOf(nonce);
      if (at < 0) return undefined;
      body = head.subarray(at + nonce.length);
      head = undefined;
    }
    writing = writing.then(() => file.write(body));
    return writing as Promise<void>;
  });
  try {
    await shell.write(Buffer.from(`{ printf '${nonce.trim()}\\n'; exec ${sourceOf(step)}; }\n`));
    shell.end();
    const { code } = await shell.ended;
    await writing;
    if (code !== 0) {
      throw new FurrowError("E_STEP", {
        what: `${step.path} cannot be fetched`,
        current: complaint.trim() || `exit code ${code}`,
      });
    }
    await file.chmod(Number.parseInt(step.mode, 8));
    await file.sync();
    await outside.rename(temporary, step.to);
  } finally {
    await file.close();
    await outside.rm(temporary, { force: true });
  }
}

function sourceOf({ path, through }: FetchStep): string {
  if (through === undefined) return `cat -- ${shellQuote(path)}`;
  return `${through.map(shellQuote).join(" ")} <${shellQuote(path)}`;
}

/** What a killed run left there would keep its own mode, and a link would lead elsewhere. */
async function openNew(path: string, mode: number): ReturnType<typeof outside.open> {
  await outside.mkdir(dirname(resolve(path)), { recursive: true });
  await outside.rm(path, { force: true });
  return outside.open(path, "wx", mode);
}
