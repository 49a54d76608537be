import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { encodeText } from "../../../core/host/bytes.ts";
import { FurrowError } from "../../../core/errors.ts";
import { reveal } from "../../../core/secrets/secret.ts";
import type { UploadStep, WriteFileStep } from "../../../core/host/step.ts";
import { outside } from "../../outside.ts";

/** Content that is sent to a host in blocks. It is never loaded into memory as a whole. */
export interface Content {
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  /**
   * Reads at most `length` bytes, starting at the offset `at`. The result is valid until the next call with the same
   * `buffer`. Throws E_FILE.
   */
  read(buffer: Buffer, at: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens the content that a step sends to the host. Throws FurrowError E_FILE. */
export async function openContent(step: UploadStep | WriteFileStep): Promise<Content> {
  if (step.step === "upload") return openFile(step);
  const bytes = encodeText(reveal(step.text));
  return {
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    read: (_buffer, at, length) => Promise.resolve(bytes.subarray(at, at + length)),
    close: () => Promise.resolve(),
  };
}

async function openFile({ from, sha256 }: UploadStep): Promise<Content> {
  let file: FileHandle | undefined;
  try {
    file = await outside.open(from, "r");
    const { size } = await file.stat();
    return {
      size,
      sha256,
      read: (...part) => readFrom(file as FileHandle, from, ...part),
      close: () => file?.close() ?? Promise.resolve(),
    };
  } catch (error) {
    await file?.close();
    throw unreadable(from, error);
  }
}

async function readFrom(
  file: FileHandle,
  from: string,
  buffer: Buffer,
  at: number,
  length: number,
): Promise<Uint8Array> {
  const { bytesRead } = await file.read(buffer, 0, Math.min(length, buffer.length), at).catch((error: unknown) => {
    throw unreadable(from, error);
  });
  if (bytesRead === 0) throw changedMeanwhile(from, "it became shorter");
  return buffer.subarray(0, bytesRead);
}

/** The error for a file that has changed since it was hashed. */
export function changedMeanwhile(from: string, current: string): FurrowError {
  return new FurrowError("E_FILE", {
    what: `${from} changed while it was being sent`,
    current,
    hint: "Rerun once no program is writing to the file",
  });
}

function unreadable(from: string, error: unknown): Error {
  if (!(error instanceof Error) || !("code" in error)) return error as Error;
  return new FurrowError("E_FILE", { what: `${from} cannot be read`, current: error.message, cause: error });
}
