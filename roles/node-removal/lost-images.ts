import type { Seen } from "../cluster-answers/answers.ts";
import type { BackingImageObject } from "../cluster-answers/longhorn/backing-images.ts";
import type { LonghornNodeObject } from "../cluster-answers/longhorn/objects.ts";
import { downText } from "./loss.ts";
import { placeProblem } from "./replica-places.ts";

type Cluster = Seen<"nodes" | "longhornNodes" | "backingImages" | "images">;

/** An image that would be lost, and why. */
export interface LostImage {
  readonly name: string;
  /** The name that Harvester's UI shows; empty if Harvester does not list the image. */
  readonly title: string;
  readonly sizeBytes: number;
  readonly why: string;
}

/**
 * Simulates the loss of a node to find the images that would be left without a complete copy that Longhorn can rely on.
 */
export function imagesLostWith(node: string, cluster: Cluster): LostImage[] {
  const titles = new Map(cluster.images.map(({ name, title }) => [name, title]));
  return cluster.backingImages
    .flatMap((image) => {
      const why = whyLost(image, node, cluster);
      const { name, sizeBytes } = image;
      return why === undefined ? [] : [{ name, title: titles.get(name) ?? "", sizeBytes, why }];
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function whyLost(
  { copies, source, isLeaving }: BackingImageObject,
  node: string,
  { nodes, longhornNodes }: Cluster,
): string | undefined {
  if (isLeaving) return undefined;
  const placed = copies.map((copy) => ({ ...copy, node: nodeOf(copy.disk, longhornNodes) }));
  // A copy on a disk that Longhorn does not list may be on any node.
  const own = placed.filter((copy) => (copy.node === node || copy.node === undefined) && !hasFailed(copy.state));
  if (own.length === 0) return undefined;
  const others = placed.flatMap((copy) =>
    copy.node !== undefined && copy.node !== node && copy.state === "ready" ? [{ ...copy, node: copy.node }] : [],
  );
  const problems = others.map((copy) => downText(copy.node, nodes) ?? placeProblem(copy, longhornNodes));
  if (problems.includes(undefined)) return undefined;
  const places = [...new Set([node, ...others.map((copy) => copy.node)])].toSorted();
  const only = others.length === 0 ? `its only usable copy is on ${node}` : `its copies are on ${places.join(" and ")}`;
  return [only, ...new Set(problems), afterwards(source)].join(", and ");
}

/** What happens to a lost image. Without help, Longhorn recovers only downloaded images (harvester/harvester#7846). */
function afterwards(source: string): string {
  return source === "download"
    ? "Longhorn can download it again only if its source still has it"
    : "Longhorn cannot create it again";
}

function nodeOf(disk: string, nodes: readonly LonghornNodeObject[]): string | undefined {
  const found = nodes.filter(({ disks }) => disks.some(({ seen }) => seen?.id === disk));
  return found.length === 1 ? found[0]?.name : undefined;
}

function hasFailed(state: string): boolean {
  return state === "failed" || state === "failed-and-cleanup";
}

/** Lists lost images in a sentence: each with its title, its size and the reason. */
export function lostImagesText(images: readonly LostImage[]): string {
  return images
    .map(({ name, title, sizeBytes, why }) => {
      const size = sizeBytes === 0 ? [] : [`${Math.round((sizeBytes / 2 ** 30) * 10) / 10} GiB`];
      return `${name} (${[...(title === "" ? [] : [title]), ...size, why].join("; ")})`;
    })
    .join(", ");
}
