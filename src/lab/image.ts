import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { withAptCache } from "./apt-cache-start.ts";
import { type AptSources, aptSources, labRelease } from "./apt-sources.ts";
import { imageFiles, imageScript } from "./image-content.ts";
import { imagePackages } from "./image-packages.ts";
import { withLock } from "./lock.ts";
import { writeTree } from "./tree.ts";
import { killAll, processesNaming } from "./processes.ts";
import type { OnProgress } from "./progress.ts";
import { command } from "./shell.ts";

/** The two images: what a cloud's Debian image holds, and the same with libvirt and QEMU installed. */
export type ImageKind = "plain" | "libvirt";

/**
 * The root directory of an image, built first if there is none yet for the same recipe and mirrors.
 * A build that was killed leaves a directory that the next one removes.
 *
 * @throws FurrowError E_LAB when mmdebstrap fails
 */
export async function ensureImage(kind: ImageKind, stateDir: string, onProgress: OnProgress): Promise<string> {
  const sources = await aptSources();
  const recipe = JSON.stringify([imagePackages(kind), imageFiles(kind, sources), imageScript(kind), sources]);
  const images = join(stateDir, "images");
  const image = join(images, `${kind}-${createHash("sha256").update(recipe).digest("hex").slice(0, 12)}`);
  if (await exists(image)) return image;
  const waiting = () => onProgress("waiting for another process that builds the same image");
  return withLock(
    image,
    async () => {
      if (!(await exists(image))) await build(kind, image, sources, stateDir, onProgress);
      return image;
    },
    waiting,
  );
}

/** Removes what a killed build of this image left: its processes, then its directory. */
async function removeUnfinished(draft: string): Promise<void> {
  await killAll(() => processesNaming(draft));
  await rm(draft, { recursive: true, force: true });
}

async function build(
  kind: ImageKind,
  image: string,
  sources: AptSources,
  stateDir: string,
  onProgress: OnProgress,
): Promise<void> {
  const draft = `${image}.unfinished`;
  await removeUnfinished(draft);
  await mkdir(join(image, ".."), { recursive: true });
  onProgress(`building the ${kind} image of Debian ${labRelease} (once; about ${kind === "plain" ? 30 : 90} s)`);
  // Namespaces of its own: whatever mmdebstrap mounts or starts ends with it.
  const apart = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const options = ['Acquire::Retries "3"', ...sources.options.map((line) => line.replace(/;$/, ""))];
  const debootstrap = (proxy: string) => [
    ...apart,
    "mmdebstrap",
    "--mode=root",
    "--variant=minbase",
    `--include=${imagePackages(kind).join(",")}`,
    ...[...options, `Acquire::http::Proxy "${proxy}"`].map((option) => `--aptopt=${option}`),
    labRelease,
    draft,
    ...sources.lines,
  ];
  await withAptCache(stateDir, sources, (proxy) => command(debootstrap(proxy)));
  await writeTree(draft, imageFiles(kind, sources));
  await command([...apart, "chroot", draft, "/bin/sh", "-e", "-c", imageScript(kind)]);
  await rename(draft, image);
  await removeOld(image, kind);
}

/** Images of older recipes are removed once no lab uses them; a lab holds its image by a mount, which the kernel lists. */
async function removeOld(image: string, kind: ImageKind): Promise<void> {
  const images = join(image, "..");
  const mounts = (await command(["cat", "/proc/self/mounts"])).stdout;
  for (const name of await readdir(images)) {
    const path = join(images, name);
    if (!name.startsWith(`${kind}-`) || path === image || mounts.includes(path)) continue;
    if (name.endsWith(".unfinished") && (await processesNaming(path)).length > 0) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
