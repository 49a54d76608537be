import { absent, type Refusal, refuse } from "../../src/authoring.ts";
import type { ImageUses, LibvirtDomain } from "../../src/facts/catalogue.ts";
import type { DefinedDomain } from "./params.ts";

/**
 * Returns the wanted images that are missing from the machine's definition or from the configuration that it is running
 * with. The machine may use an overlay of such an image, or another machine may need the image.
 */
export function imagesNotUsed(p: DefinedDomain, domain: LibvirtDomain | typeof absent): string[] {
  const configs = domain === absent ? [{ disks: {} }] : domain.live === absent ? [domain] : [domain, domain.live];
  const used = configs.map(
    ({ disks }: Pick<LibvirtDomain, "disks">) =>
      new Set(Object.values(disks).map((disk) => disk !== absent && disk.file)),
  );
  return p.disks.map(({ file }) => file).filter((file) => used.some((files) => !files.has(file)));
}

/**
 * Refuses a machine that uses an overlay of a wanted image, for example after a snapshot. If the image took the
 * overlay's place, the machine would lose everything that it has written since the snapshot. Also refuses if furrow
 * cannot find out whether the machine uses an overlay. `uses` are the answers about `images`, in the same order.
 */
export function overlayOf(
  { name, disks }: DefinedDomain,
  images: readonly string[],
  uses: readonly ImageUses[],
): Refusal | undefined {
  const wanted = new Set(disks.map(({ file }) => file));
  for (const [at, image] of images.entries()) {
    const use = uses[at]?.uses.find(({ domain, disk }) => domain === name && !wanted.has(disk));
    if (use !== undefined) {
      return refuse({
        code: "snapshot-overlay",
        message: `${name} writes to ${use.disk}, an overlay of ${image}, such as one that a snapshot creates: everything written since the overlay was created is only in it`,
        current: use.disk,
        expected: image,
        hint: `Merge the overlay into the image while ${name} is on: virsh blockcommit ${name} ${use.disk} --active --pivot; then rerun. Or keep it: give ${use.disk} as the disk's file`,
      });
    }
  }
  for (const [at, image] of images.entries()) {
    const lost = uses[at]?.lost.find(({ domain }) => domain === name || domain === "");
    if (lost !== undefined) return perhapsOverlay(name, image, lost);
  }
  return undefined;
}

function perhapsOverlay(name: string, image: string, { domain, disk, problem }: ImageUses["lost"][number]): Refusal {
  const isKnown = domain !== "";
  return refuse({
    code: "image-uses-unknown",
    message: `cannot tell whether ${isKnown ? disk : "a disk"} of ${name} is an overlay of ${image}: ${problem}`,
    current: isKnown ? disk : "unknown",
    expected: image,
    hint: isKnown
      ? `Find out what the disk needs (qemu-img info -U --backing-chain ${disk}). If it is no longer needed, remove it from ${name}: virsh detach-disk ${name} ${disk} --config`
      : "Find out why libvirt does not answer (virsh list --all), then rerun",
  });
}
