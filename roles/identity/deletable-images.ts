import { absent, absolutePath, file, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { imageUses, libvirtOverview } from "../../src/facts/catalogue.ts";
import { neededImage } from "../../tasks/libvirt-domain/dependents.ts";

const params = z.strictObject({
  images: z
    .array(z.strictObject({ node: z.string(), file: absolutePath() }))
    .min(1)
    .describe("The disk images that later tasks may delete, each with the node that uses it"),
});

/**
 * Refuses to delete disk images if part of their path is a symbolic link: furrow creates images below mount points, so
 * someone else made the link, and its target may be someone else's file. Also refuses if a disk that stays needs one of
 * the images, or if furrow cannot tell. Such a disk can be an overlay that another virtual machine uses. Names the
 * nodes' other disks, which are kept.
 */
export const deletableImages = task({
  name: "deletableImages",
  summary:
    "Refuse to delete disk images that other machines use or that are reached through links, and name the disks that stay",
  params,
  examples: [],
  title: () => "the disk images can be deleted",
})
  .facts((p) => ({
    paths: pathsTo(filesOf(p)).map((path) => file(path)),
    libvirt: libvirtOverview(),
    uses: filesOf(p).map(imageUses),
  }))
  .want((p, { paths, libvirt, uses }) => {
    const names = pathsTo(filesOf(p));
    const link = names.find((_, at) => {
      const found = paths[at] ?? absent;
      return found !== absent && found.type === "link";
    });
    if (link !== undefined) return behindLink(filesOf(p).find((path) => isBelow(path, link)) ?? link, link);
    return neededImage({ files: filesOf(p), machines: nodesOf(p), uses, domains: libvirt.domains }) ?? {};
  })
  .steps(() => [])
  .notes((p, { libvirt }) =>
    nodesOf(p).flatMap((node) => {
      const domain = libvirt.domains[node] ?? absent;
      const kept = domain === absent ? [] : domain.disks.filter((path) => !filesOf(p).includes(path));
      return kept.length === 0 ? [] : [`not deleted with ${node}: ${kept.join(", ")}; furrow did not make these disks`];
    }),
  );

function filesOf({ images }: z.output<typeof params>): string[] {
  return images.map(({ file: path }) => path);
}

function nodesOf({ images }: z.output<typeof params>): string[] {
  return [...new Set(images.map(({ node }) => node))];
}

/** Returns the files and all directories above them, each once. */
function pathsTo(files: readonly string[]): string[] {
  const all = files.flatMap((path) => {
    const parts = path.split("/").slice(1);
    return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`);
  });
  return [...new Set(all)];
}

function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

function behindLink(image: string, link: string): Refusal {
  return refuse({
    code: "image-behind-link",
    message: `${link} is a symbolic link, so ${image} may be another file, and is not deleted`,
    current: "a symbolic link",
    expected: "a directory or an image that furrow made",
    hint: `Find out where it leads (realpath ${image}); if that is the node's image, replace ${link} with a mount point or the file itself, or delete the image by hand and remove the link`,
  });
}
