import { absent, type Refusal, refuse } from "../../src/authoring.ts";
import type { ImageUse, ImageUses, LibvirtOverview } from "../../src/facts/catalogue.ts";

/** The images that will be deleted, and what is known about the disks that need them. */
export interface Deletion {
  /** The paths of the images. */
  readonly files: readonly string[];
  /** The virtual machines that will be removed with the images. */
  readonly machines: readonly string[];
  /** The answers about the images, in the same order. */
  readonly uses: readonly ImageUses[];
  /** The host's virtual machines. A machine that an earlier task has removed needs nothing. */
  readonly domains: LibvirtOverview["domains"];
}

/**
 * Refuses to delete an image that a remaining disk needs: that disk would lose everything but its own changes. Also
 * refuses if the backing files of a remaining disk cannot be read.
 */
export function neededImage({ files, machines, uses, domains }: Deletion): Refusal | undefined {
  const stays = ({ domain, disk }: ImageUse): boolean => {
    if (domain !== "" && (domains[domain] ?? absent) === absent) return false;
    return !(machines.includes(domain) && files.includes(disk));
  };
  for (const [at, file] of files.entries()) {
    const use = uses[at]?.uses.find(stays);
    if (use !== undefined) return stillNeeded(file, use);
  }
  for (const [at, file] of files.entries()) {
    const lost = uses[at]?.lost.find(stays);
    if (lost !== undefined) return perhapsNeeded(file, lost);
  }
  return undefined;
}

function stillNeeded(file: string, { domain, disk }: ImageUse): Refusal {
  const isItself = disk === file;
  return refuse({
    code: isItself ? "disk-in-use" : "image-has-overlay",
    message: isItself
      ? `${file} is a disk of ${domain}`
      : `${file} must not be deleted: ${disk}, a disk of the virtual machine ${domain}, contains only the differences from it`,
    current: `needed by ${domain}`,
    expected: "needed by no remaining disk",
    hint: isItself
      ? `Remove the disk from ${domain} first`
      : `Make ${disk} independent first: shut ${domain} down, then qemu-img rebase -b "" ${disk}; or remove ${domain}, if it is no longer needed`,
  });
}

function perhapsNeeded(file: string, { domain, disk, problem }: ImageUses["lost"][number]): Refusal {
  return refuse({
    code: "image-uses-unknown",
    message: `cannot tell whether ${file} is still needed${domain === "" ? "" : ` by the virtual machine ${domain}`}: ${problem}`,
    current: domain === "" ? "unknown" : `unknown backing files of ${disk}`,
    expected: "needed by no remaining disk",
    hint:
      domain === ""
        ? "Find out why libvirt does not answer (virsh list --all), then rerun"
        : `Find out what the disk needs (qemu-img info -U --backing-chain ${disk}), and repair it, or remove it from ${domain} (virsh detach-disk --config)`,
  });
}
