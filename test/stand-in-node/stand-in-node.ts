import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FurrowError } from "../../src/core/errors.ts";
import { markWord } from "../../src/lab/machine/cgroup.ts";
import { makeInitrd } from "./initrd.ts";
import { makeInstalledDisk } from "./installed-disk.ts";
import { partOf, standInPackages, unpackParts } from "./parts.ts";
import { guestFolder, makeUserland } from "./userland.ts";
import { withLock } from "../../src/lab/lock.ts";
import { labMark, labStateDir } from "../../src/lab/places.ts";
import type { OnProgress } from "../../src/lab/progress.ts";
import { fulfilRequirements } from "../../src/lab/requirements.ts";
import { command, withMark } from "../../src/lab/machine/shell.ts";

/** The file names of the stand-ins; the file `sha512` in the same folder lists their SHA-512 digests. */
export type StandInNames = Readonly<Record<"kernel" | "initrd" | "rootfs" | "iso", string>>;

/**
 * Builds stand-ins for a Harvester release's boot artifacts from Debian packages alone. Seen from outside, a machine
 * that boots them from the network behaves like a Harvester node (docs/guides/stand-in-node.md). The stand-ins are
 * built once and then reused.
 *
 * @returns the folder that contains them under the given names
 * @throws FurrowError E_LAB if the packages cannot be fetched
 */
export async function standIns(names: StandInNames, onProgress: OnProgress = () => undefined): Promise<string> {
  const base = await ensureStandIns(onProgress);
  const folder = await mkdtemp(join(base, "named-"));
  const list: string[] = [];
  for (const part of ["kernel", "initrd", "rootfs", "iso"] as const) {
    await copyFile(join(base, part), join(folder, names[part]));
    const digest = createHash("sha512")
      .update(await readFile(join(base, part)))
      .digest("hex");
    list.push(`${digest}  ${names[part]}`);
  }
  await writeFile(join(folder, "sha512"), `${list.join("\n")}\n`);
  return folder;
}

/**
 * Returns the folder with the stand-in node's root file system, for tests that read it or run a program from it.
 *
 * @throws FurrowError E_LAB if the packages cannot be fetched
 */
export async function standInRoot(onProgress: OnProgress = () => undefined): Promise<string> {
  return join(await ensureStandIns(onProgress), "userland");
}

async function ensureStandIns(onProgress: OnProgress): Promise<string> {
  await fulfilRequirements(onProgress);
  const stateDir = labStateDir();
  const all = join(stateDir, "stand-ins");
  const base = join(all, await recipeDigest());
  const buildOnce = async (): Promise<string> => {
    if (existsSync(join(base, "iso"))) return base;
    onProgress("building the stand-in node: once, about 20 s");
    await mkdir(all, { recursive: true });
    await removeOld(all);
    await withMark(markWord(labMark(base)), () => build(base, stateDir));
    return base;
  };
  return withLock(all, buildOnce, () => onProgress("waiting for another process that builds the stand-in node"));
}

/**
 * Removes stand-ins built from older recipes, but keeps those from the last day, because a node may still boot from
 * them.
 */
async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > 86_400_000) await rm(path, { recursive: true, force: true });
  }
}

/** A digest of everything that affects the built node. */
async function recipeDigest(): Promise<string> {
  const hash = createHash("sha256").update(standInPackages.join(" "));
  for (const folder of [guestFolder, join(guestFolder, "..")]) {
    const entries = await readdir(folder, { withFileTypes: true });
    const sources = entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name } of sources) hash.update(name).update(await readFile(join(folder, name)));
  }
  return hash.digest("hex").slice(0, 12);
}

async function build(base: string, stateDir: string): Promise<void> {
  const parts = join(base, "parts");
  const userland = join(base, "userland");
  await mkdir(base, { recursive: true });
  await unpackParts(parts, stateDir);
  const kernel = (await readdir(partOf(parts, "boot"))).find((name) => name.startsWith("vmlinuz"));
  if (kernel === undefined) throw new FurrowError("E_LAB", { what: "Debian's kernel package contains no kernel" });
  await copyFile(partOf(parts, join("boot", kernel)), join(base, "kernel"));
  await writeFile(join(base, "initrd"), await makeInitrd(parts));
  await makeUserland(parts, userland);
  await command(["tar", "--create", "--numeric-owner", "--file", join(base, "rootfs"), "--directory", userland, "."]);
  const files = { kernel: join(base, "kernel"), initrd: join(base, "initrd"), rootfs: join(base, "rootfs") };
  await makeInstalledDisk(parts, files, join(base, "iso.new"));
  await rm(parts, { recursive: true });
  await rename(join(base, "iso.new"), join(base, "iso"));
}
