import { byPathOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Kind, type Lines } from "../../core/facts/kind.ts";
import { behindPath } from "../files/path-resolution.ts";
import { imageUsesScript } from "./image-uses-script.ts";
import { escapeXml, unescapeXml } from "./xml.ts";

/** A disk of a domain that needs an image: the disk is the image, or the image is in the disk's backing chain. */
export interface ImageUse {
  readonly domain: string;
  /** The disk's own source: a path, or `POOL/VOLUME`. */
  readonly disk: string;
}

/** A disk whose backing chain cannot be read, so it may need any image. */
export interface LostChain extends ImageUse {
  /** Why it cannot be read, as a clause: `/srv/a.qcow2 does not exist`. */
  readonly problem: string;
}

/** The disks of a host's domains that need an image. Lists are sorted. */
export interface ImageUses {
  readonly uses: readonly ImageUse[];
  /** The disks that may need the image; `domain` is empty if libvirt does not say which domain it is. */
  readonly lost: readonly LostChain[];
}

/**
 * Asks which disks of the host's domains need the image at an absolute path, under any of its names. No disk needs an
 * image that does not exist.
 */
export function imageUses(path: string): HostFact<ImageUses> {
  return ask(imageUsesKind, path);
}

/**
 * The uses of images. A line looks like `use DOMAIN DISK` or `lost DOMAIN DISK PROBLEM`, with tabs between the words.
 */
export const imageUsesKind: Kind<ImageUses> = defineKind<ImageUses>({
  name: "imageUses",
  summary: "The disks of libvirt's domains that need a disk image, directly or through backing files",
  facets: {},
  deadlineSeconds: 120,
  afterBoot: byPathOverBoot,
  renamed: behindPath,
  read: imageUsesScript,
  parse(lines, { key }) {
    if (lines["read"] !== "yes") {
      throw new FurrowError("E_FACT", { what: `could not find out which virtual machines need ${key}` });
    }
    const parts = Object.entries(lines)
      .filter(([name]) => name.startsWith("thing."))
      .map(([, line]) => line.split("\t"));
    const of = (type: string): string[][] => parts.filter((part) => part[0] === type);
    return {
      uses: of("use").map(useOf),
      lost: of("lost").map((part) => ({ ...useOf(part), problem: part[3] ?? "" })),
    };
  },
  print({ uses, lost }): Lines {
    const list = [
      ...lost.map((one) => ["lost", escapeXml(one.domain), escapeXml(one.disk), one.problem]),
      ...uses.map((one) => ["use", escapeXml(one.domain), escapeXml(one.disk)]),
    ].map((parts) => parts.join("\t"));
    return {
      read: "yes",
      ...Object.fromEntries(list.map((line, at) => [`thing.${String(at).padStart(5, "0")}`, line])),
    };
  },
});

function useOf([, domain = "", disk = ""]: readonly string[]): ImageUse {
  return { domain: unescapeXml(domain), disk: unescapeXml(disk) };
}
