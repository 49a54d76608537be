import { absent, type Refusal, refuse } from "../../src/authoring.ts";
import type { ImageUse, ImageUses, LibvirtOverview } from "../../src/facts/catalogue.ts";

/**
 * Refuses an image that a disk of another virtual machine needs, under any name, as the disk itself or as a backing
 * file. A machine that writes to such an image destroys the other disk. Also refuses if furrow cannot find out whether
 * another machine needs the image. `uses` are the answers about `images`, in the same order; a machine that an earlier
 * task has removed needs nothing.
 */
export function foreignUse(
  name: string,
  images: readonly string[],
  uses: readonly ImageUses[],
  domains: LibvirtOverview["domains"],
): Refusal | undefined {
  const isOther = ({ domain }: ImageUse): boolean =>
    domain !== name && (domain === "" || (domains[domain] ?? absent) !== absent);
  for (const [at, image] of images.entries()) {
    const use = uses[at]?.uses.find(isOther);
    if (use !== undefined) return usedBy(image, use);
  }
  for (const [at, image] of images.entries()) {
    const lost = uses[at]?.lost.find(isOther);
    if (lost !== undefined) return perhapsUsed(image, lost);
  }
  return undefined;
}

function usedBy(image: string, { domain, disk }: ImageUse): Refusal {
  return refuse({
    code: "disk-in-use",
    message: `${image} is already in use: the disk ${disk} of ${domain} is this image, or contains only the differences from it`,
    current: `needed by ${domain}`,
    expected: "needed by no other virtual machine",
    hint: `Choose another file: a copy of the image, or a new overlay of it (qemu-img create -b ${image})`,
  });
}

function perhapsUsed(image: string, { domain, disk, problem }: ImageUses["lost"][number]): Refusal {
  const isKnown = domain !== "";
  return refuse({
    code: "image-uses-unknown",
    message: `cannot tell whether ${isKnown ? domain : "another virtual machine"} needs ${image}: ${problem}`,
    current: isKnown ? `unknown backing files of ${disk}` : "unknown",
    expected: "needed by no other virtual machine",
    hint: isKnown
      ? `Find out what the disk needs (qemu-img info -U --backing-chain ${disk}), and repair it, or remove it from ${domain} (virsh detach-disk --config)`
      : "Find out why libvirt does not answer (virsh list --all), then rerun",
  });
}
