import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withAptCache } from "./apt-cache-start.ts";
import { type AptSources, aptSources, labRelease } from "./apt-sources.ts";
import { markWord } from "../machine/cgroup.ts";
import { imageFiles, imageScript } from "./image-content.ts";
import { type ImageKind, imagePackages } from "./image-packages.ts";
import { ifUnlocked, withLock } from "../lock.ts";
import { labMark } from "../places.ts";
import { killAll, processesMarked } from "../machine/processes.ts";
import type { OnProgress } from "../progress.ts";
import { command, withMark } from "../machine/shell.ts";
import { writeTree } from "./tree.ts";

const unfinished = ".unfinished";

/**
 * Returns the root directory of an image; if no image exists yet for this recipe and these mirrors, builds it first.
 *
 * @throws FurrowError E_LAB if mmdebstrap fails
 */
export async function ensureImage(kind: ImageKind, stateDir: string, onProgress: OnProgress): Promise<string> {
  const sources = await aptSources();
  const recipe = JSON.stringify([imagePackages(kind), imageFiles(sources), imageScript(kind), sources]);
  const images = imagesDir(stateDir);
  const image = join(images, `${kind}-${createHash("sha256").update(recipe).digest("hex").slice(0, 12)}`);
  if (await exists(image)) return image;
  await removeAbandonedImages(stateDir);
  const buildOnce = async (): Promise<string> => {
    if (!(await exists(image))) {
      onProgress(`building the ${kind} image of Debian ${labRelease}: once, about ${kind === "plain" ? 30 : 60} s`);
      await withMark(markWord(labMark(image)), () => build(kind, image, sources, stateDir));
      await removeSuperseded(image, kind);
    }
    return image;
  };
  return withLock(image, buildOnce, () => onProgress("waiting for another process that is building the same image"));
}

/** Removes the processes and files that killed builds left behind. */
export async function removeAbandonedImages(stateDir: string): Promise<void> {
  for (const name of await readdir(imagesDir(stateDir)).catch(() => [])) {
    if (!name.endsWith(unfinished)) continue;
    const image = join(imagesDir(stateDir), name.slice(0, -unfinished.length));
    await ifUnlocked(image, () => removeDraft(image));
  }
}

async function removeDraft(image: string): Promise<void> {
  await killAll(() => processesMarked(markWord(labMark(image))));
  await rm(`${image}${unfinished}`, { recursive: true, force: true });
}

async function build(kind: ImageKind, image: string, sources: AptSources, stateDir: string): Promise<void> {
  const draft = `${image}${unfinished}`;
  await removeDraft(image);
  await mkdir(dirname(image), { recursive: true });
  // In separate namespaces, everything that mmdebstrap mounts or starts disappears when mmdebstrap ends.
  const apart = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const options = ['Acquire::Retries "3"', ...sources.options.map((line) => line.replace(/;$/, ""))];
  const debootstrap = (proxy: string): readonly string[] => [
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
  try {
    await withAptCache(stateDir, sources, (proxy) => command(debootstrap(proxy)));
    await writeTree(draft, imageFiles(sources));
    await command([...apart, "chroot", draft, "/bin/sh", "-e", "-c", imageScript(kind)]);
    await rename(draft, image);
  } catch (error) {
    await removeDraft(image);
    throw error;
  }
}

/**
 * Removes images built from older recipes, unless a lab uses them. A lab mounts its image, so the kernel's list of
 * mounts shows which images are in use.
 */
async function removeSuperseded(image: string, kind: ImageKind): Promise<void> {
  const mounts = await readFile("/proc/self/mounts", "utf8");
  for (const name of await readdir(dirname(image))) {
    const path = join(dirname(image), name);
    if (!name.startsWith(`${kind}-`) || name.endsWith(unfinished) || path === image || mounts.includes(path)) continue;
    await rm(path, { recursive: true, force: true });
  }
}

function imagesDir(stateDir: string): string {
  return join(stateDir, "images");
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
