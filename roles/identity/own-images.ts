import { absent, absolutePath, file, peek, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import {
  diskImage,
  type DomainClaims,
  fileText,
  type ImageUses,
  imageUses,
  libvirtOverview,
} from "../../src/facts/catalogue.ts";
import { isNodeImage } from "../cluster/nodes.ts";
import { listingHint } from "../cluster/unlisted.ts";
import { ownerRecord } from "../cluster/places.ts";

const params = z.strictObject({
  prefix: z.string().describe("Nodes are named PREFIX-1, PREFIX-2, …"),
  network: z.string().describe("Name of the nodes' libvirt network"),
  images: z
    .array(z.strictObject({ node: z.string(), file: absolutePath() }))
    .describe("The disk images of the nodes, each with the node that uses it; a node's system disk comes first"),
  unknown: z
    .enum(["refuse", "accept"])
    .default("refuse")
    .describe("What to do with images that the host has no record of"),
});

type Params = z.output<typeof params>;

/**
 * Refuses disk images that belong to another cluster: a node would boot the system that is already on its image, and
 * the other cluster would answer in place of the requested one. Also refuses a virtual machine that has the name of a
 * node but does not use its image: it is someone else's, and must not be switched off, changed or deleted. A node that
 * uses an overlay of its image, because of a snapshot, is refused too, and the hint says how to merge it. Finally,
 * refuses if the host has a node that the vars do not list: it would be left behind.
 */
export const ownImages = task({
  name: "ownImages",
  summary: "Refuse disk images that belong to another cluster",
  params,
  examples: [],
  title: ({ prefix }) => `the disk images on the host belong to the cluster ${prefix}`,
})
  .facts((p) => ({
    owner: file(ownerRecord, ["text"]),
    images: p.images.map((image) => diskImage(image.file)),
    libvirt: libvirtOverview(),
  }))
  // In most runs, each node uses its images, so no query is needed.
  .facts((p, now) => ({ uses: missingIn(p, domainsIn(peek(now, "libvirt"))).map((image) => imageUses(image.file)) }))
  .want((p, now) => {
    const domains = domainsIn(peek(now, "libvirt"));
    const nodes = new Set(p.images.map(({ node }) => node));
    const overlay = missingIn(p, domains).flatMap(({ node, file: path }, at) => overlayOf(node, path, now.uses[at]))[0];
    if (overlay !== undefined) return overlay;
    for (const node of nodes) {
      const domain = domains[node] ?? absent;
      const system = p.images.find((image) => image.node === node);
      if (domain !== absent && system && !domain.disks.includes(system.file)) return notNode(node, system.file, domain);
    }
    const others = Object.entries(domains).flatMap(([name, domain]) =>
      domain === absent || nodes.has(name) ? [] : { name, image: domain.disks.find(isNodeImage), domain },
    );
    const left = others.filter(
      ({ name, image, domain }) =>
        new RegExp(`^${p.prefix}-\\d+$`).test(name) && (image !== undefined || domain.networks.includes(p.network)),
    );
    if (left.length > 0) return notListed([...nodes], left.map(({ name }) => name).toSorted());
    const taken = others.find(({ image }) => image !== undefined);
    if (taken?.image !== undefined) return usedByOther(p, taken.name, taken.image);
    const loose = p.images.find(
      ({ node }, at) => now.images[at] !== absent && (domains[node] === undefined || domains[node] === absent),
    );
    if (loose === undefined) return {};
    const owner = fileText(now.owner)?.trim();
    if (owner === p.prefix) return {};
    if (owner !== undefined) return ofOther(p, owner, loose.file);
    return p.unknown === "accept" ? {} : ofNobody(p, loose.file);
  })
  .steps(() => []);

type Domains = Readonly<Record<string, DomainClaims | typeof absent>>;

function domainsIn(libvirt: unknown): Domains {
  return typeof libvirt === "object" && libvirt !== null && "domains" in libvirt ? (libvirt.domains as Domains) : {};
}

/** Returns the images that should be disks of an existing node, but are not. */
function missingIn({ images }: Params, domains: Domains): Params["images"] {
  return images.filter(({ node, file: path }) => {
    const domain = domains[node] ?? absent;
    return domain !== absent && !domain.disks.includes(path);
  });
}

/** Refuses a node whose disk is an overlay of its image, or may be one. */
function overlayOf(node: string, image: string, found: ImageUses | undefined): Refusal | [] {
  const use = found?.uses.find(({ domain, disk }) => domain === node && disk !== image);
  if (use !== undefined) {
    return refuse({
      code: "snapshot-overlay",
      message: `${node} writes to ${use.disk}, an overlay of ${image} (a snapshot creates such an overlay): everything that the node has written since then exists only in the overlay`,
      current: use.disk,
      expected: image,
      hint: `Merge the overlay into the image while ${node} is on: virsh blockcommit ${node} ${use.disk} --active --pivot; then rerun`,
    });
  }
  const lost = found?.lost.find(({ domain }) => domain === node);
  if (lost === undefined) return [];
  return refuse({
    code: "image-uses-unknown",
    message: `cannot tell whether ${lost.disk} of ${node} is an overlay of ${image}: ${lost.problem}`,
    current: lost.disk,
    expected: image,
    hint: `Find out what the disk needs before you change anything: qemu-img info -U --backing-chain ${lost.disk}`,
  });
}

function notNode(name: string, image: string, { disks }: DomainClaims): Refusal {
  return refuse({
    code: "not-a-node",
    message: `the virtual machine ${name} does not use ${image}, so furrow did not make it`,
    current: disks.length === 0 ? "no disks" : disks.join(", "),
    expected: image,
    hint: `If it is not a node, give it another name while it is shut off: virsh domrename ${name} NAME. If it is the node, and its image was moved, move the image back, and correct the path with virsh edit ${name}`,
  });
}

function notListed(listed: readonly string[], left: readonly string[]): Refusal {
  return refuse({
    code: "nodes-left",
    message: `this host has ${left.join(" and ")}, but the vars list only ${listed.join(", ")}`,
    current: [...listed, ...left].join(", "),
    expected: listed.join(", "),
    hint: listingHint,
  });
}

function usedByOther({ prefix }: Params, name: string, image: string): Refusal {
  return refuse({
    code: "image-in-use",
    message: `the virtual machine ${name} uses ${image}, which the cluster ${prefix} would use for a node`,
    current: name,
    expected: `a node of ${prefix}`,
    hint: `Set prefix: "${name.replace(/-\d+$/, "")}" if ${name} is a node of your cluster, or give this cluster other disks`,
  });
}

function ofOther({ prefix }: Params, owner: string, image: string): Refusal {
  return refuse({
    code: "other-cluster",
    message: `the disk images on this host belong to the cluster ${owner}: it would start from ${image}, and answer in place of ${prefix}`,
    current: owner,
    expected: prefix,
    hint: `Set prefix: "${owner}" to start that cluster again, or delete it with all its data: furrow run playbooks/harvester-destroy.ts --var prefix=${owner} --var removeDisks=true`,
  });
}

function ofNobody({ prefix }: Params, image: string): Refusal {
  return refuse({
    code: "unknown-cluster",
    message: `${image} exists, but this host has no record of its cluster: a node would start from it, and whatever is on it would answer in place of ${prefix}`,
    current: "an image of an unknown cluster",
    expected: `no image, or an image of the cluster ${prefix}`,
    hint: `Delete it with all its data (harvester-destroy with removeDisks=true), or, if it belongs to ${prefix}, record that: mkdir -p /etc/furrow-harvester && echo ${prefix} >${ownerRecord}`,
  });
}
