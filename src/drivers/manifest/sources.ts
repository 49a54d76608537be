import { createHash } from "node:crypto";
import type { Dirent, Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import { encodeText } from "../../core/host/bytes.ts";
import { withoutUrlSecrets } from "../../core/secrets/url-secrets.ts";
import type { KubeManifestSource } from "../../facts/controller/kube-documents.ts";
import { byCode } from "../../facts/files/tree.ts";
import type { HttpAnswer } from "../../facts/network/http-answer.ts";
import { httpDriver } from "../http.ts";
import { ManifestProblem } from "./problem.ts";

/** One of the texts that make up a manifest, with the name that messages use for it. */
interface ManifestText {
  readonly name: string;
  readonly text: string;
}

/** The maximum size of a manifest in bytes, and the maximum number of its files. */
const limits = { bytes: 16 * 2 ** 20, files: 1000 } as const;

/**
 * Reads the texts of a manifest, in order. Throws ManifestProblem if the manifest does not exist or cannot be used, and
 * FurrowError E_FILE if a file cannot be read.
 */
export async function readSource(source: KubeManifestSource, signal: AbortSignal): Promise<ManifestText[]> {
  if ("text" in source) return [{ name: "the text", text: source.text }];
  if ("url" in source) return [{ name: source.url, text: await download(source, signal) }];
  const texts: ManifestText[] = [];
  let left: number = limits.bytes;
  for (const name of await files(source)) {
    signal.throwIfAborted();
    const bytes = await readable(name, () => readFile(resolve(name)));
    left -= bytes.length;
    if (left < 0) throw tooLarge(source.path);
    texts.push({ name, text: decoded(bytes, name) });
  }
  return texts;
}

/**
 * In a directory, only files with a manifest's extension count; a file that is given by its own path may have any name.
 */
async function files({ path, recursive }: { readonly path: string; readonly recursive: boolean }): Promise<string[]> {
  const state = await stateOf(path);
  if (state === undefined) {
    throw new ManifestProblem(
      "no-manifest",
      `${path} does not exist on the controller`,
      "Correct the path: it is relative to the directory in which furrow is started",
    );
  }
  if (!state.isDirectory()) {
    if (!state.isFile()) throw notFile(path);
    if (state.size > limits.bytes) throw tooLarge(path);
    return [path];
  }
  const found: string[] = [];
  await collect(path, recursive, found);
  if (found.length > 0) return found;
  throw new ManifestProblem(
    "no-manifest",
    `${path} contains no file whose name ends in .yaml, .yml or .json`,
    recursive ? "Correct the path" : "Correct the path, or set recursive: true to read its subdirectories too",
  );
}

async function collect(folder: string, recursive: boolean, found: string[]): Promise<void> {
  const entries = await readable<Dirent[]>(folder, () => readdir(resolve(folder), { withFileTypes: true }));
  for (const entry of entries.toSorted((a, b) => byCode(a.name, b.name))) {
    const path = join(folder, entry.name);
    // Links to directories are not followed: they may lead back to a parent directory.
    if (entry.isDirectory()) {
      if (recursive) await collect(path, recursive, found);
      continue;
    }
    if (!/\.(?:ya?ml|json)$/.test(entry.name)) continue;
    const state = await stateOf(path);
    if (state?.isFile() !== true) throw notFile(path);
    found.push(path);
    if (found.length > limits.files) throw tooLarge(folder);
  }
}

/** Returns undefined only if nothing exists at this path. */
async function stateOf(path: string): Promise<Stats | undefined> {
  return readable(path, () =>
    stat(resolve(path)).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw error;
    }),
  );
}

async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new FurrowError("E_FILE", {
      what: `${path} on the controller cannot be read`,
      current: (error as Error).message,
      hint: "Run furrow as a user who can read it",
      cause: error,
    });
  }
}

function notFile(path: string): ManifestProblem {
  const message = `${path} on the controller is not a regular file, nor a link to one`;
  return new ManifestProblem("no-manifest", message, "Remove it from the manifest, or give the path of a file");
}

function tooLarge(path: string): ManifestProblem {
  const message = `${path} is larger than 16 MiB, or has more than ${limits.files} files`;
  return new ManifestProblem("too-large", message, "Split the manifest across several tasks");
}

const strict = new TextDecoder("utf-8", { fatal: true });

function decoded(bytes: Uint8Array, name: string): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw new ManifestProblem("not-yaml", `${name} is not UTF-8 text`, "Save the manifest as UTF-8");
  }
}

/** Downloaded texts by their SHA-256, which identifies their content. */
const downloads = new Map<string, string>();

async function download(
  { url, sha256 }: { readonly url: string; readonly sha256: string },
  signal: AbortSignal,
): Promise<string> {
  const known = downloads.get(sha256);
  if (known !== undefined) return known;
  const shown = withoutUrlSecrets(url);
  const request = { url, timeoutSeconds: 60, redirects: 10, maxBytes: limits.bytes };
  const answer = (await httpDriver.read(request, signal)) as HttpAnswer;
  if ("error" in answer) throw notDownloaded(shown, answer.error.message);
  if (answer.status !== 200) throw notDownloaded(shown, `the server answered ${answer.status}`);
  const bytes = encodeText(answer.body);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== sha256) {
    throw new ManifestProblem(
      "wrong-checksum",
      `the content of ${shown} has the SHA-256 ${found}, not ${sha256}`,
      "Find out why it changed; correct the checksum only if the new content is what you want",
    );
  }
  const text = decoded(bytes, shown);
  downloads.set(sha256, text);
  return text;
}

function notDownloaded(url: string, why: string): ManifestProblem {
  return new ManifestProblem("not-downloaded", `${url} cannot be downloaded: ${why}`, "Check the URL and the server");
}
