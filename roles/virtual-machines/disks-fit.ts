import type { Seen } from "../cluster-answers/answers.ts";
import type { ClaimObject } from "../cluster-answers/disks/claims.ts";
import type { MachineDisk } from "../cluster-answers/disks/templates.ts";
import { quantityOf } from "../cluster-answers/quantity.ts";

/** A machine's disks in the vars. */
interface Wanted {
  readonly name: string;
  readonly disks: readonly {
    readonly claim: string;
    readonly image?: string | undefined;
    readonly size: string;
    readonly storageClass?: string | undefined;
  }[];
}

/** How volumes are created, and which existing volumes machines may get. */
interface Rules {
  readonly acceptVolumes: readonly string[];
  readonly volumesBy: "Harvester" | "KubeVirt";
}

type Cluster = Seen<"machines" | "claims">;
type Disk = Wanted["disks"][number];

/** A disk, and what the cluster has under the name of its claim. */
interface Found {
  readonly disk: Disk;
  readonly path: string;
  /** The volume as the machine's definition describes it; undefined if the definition has no such volume. */
  readonly template: MachineDisk | undefined;
  readonly claim: ClaimObject | undefined;
  readonly isOwn: boolean;
}

/**
 * Explains which disks a machine cannot have, and why. A claim keeps its volume, so a disk with a changed description
 * would still be the old volume. Harvester and KubeVirt give a machine any existing volume that has the name of one of
 * its disks, and Harvester enlarges the volume (createPVCsFromAnnotation in pkg/controller/master/virtualmachine of
 * harvester/harvester).
 */
export function diskProblems(machine: Wanted, cluster: Cluster, rules: Rules): string[] {
  const restored = restoredProblems(machine, cluster, rules);
  if (restored.length > 0) return restored;
  return found(machine, cluster).flatMap((one) => {
    const problems = one.isOwn ? [] : existingProblems(machine.name, one, cluster, rules);
    return problems.length > 0 ? problems : changeProblems(machine.name, one, rules);
  });
}

/** Harvester's annotation on a machine that it has restored (pkg/controller/master/backup/restore.go). */
const restoredBy = "restore.harvesterhci.io/name";

/**
 * A restored machine has volumes with new names. The vars from which it was originally created would give it empty
 * volumes.
 */
function restoredProblems(machine: Wanted, cluster: Cluster, { acceptVolumes }: Rules): string[] {
  const live = cluster.machines.find((one) => one.name === machine.name);
  if (live === undefined || !(restoredBy in live.annotations)) return [];
  const all = found(machine, cluster);
  const others = all.filter(({ path }) => !live.claims.includes(path) && !acceptVolumes.includes(path));
  const lost = live.claims.filter((claim) => !all.some(({ path }) => path === claim));
  if (others.length === 0 || lost.length === 0) return [];
  const plain = lost.map((claim) => claim.split("/")[1] ?? claim);
  return [
    `${machine.name} was restored from a backup, and has its data in ${plain.join(", ")}; the vars would replace it by ${others.map(({ disk }) => disk.claim).join(", ")}: to keep the data, name the volumes in the vars (\`volume\` of a disk)`,
  ];
}

/** Reports the existing volumes that a machine gets because the vars permit it. */
export function adoptedTexts(machine: Wanted, cluster: Cluster): string[] {
  return found(machine, cluster).flatMap(({ isOwn, claim }) =>
    isOwn || claim === undefined ? [] : [`${machine.name} gets the existing volume ${textOf(claim)} with its data`],
  );
}

function found({ name, disks }: Wanted, { machines, claims }: Cluster): Found[] {
  const live = machines.find((one) => one.name === name);
  const [namespace = ""] = name.split("/");
  return disks.map((disk) => {
    const path = `${namespace}/${disk.claim}`;
    const template = live?.disks.find(({ claim }) => claim === disk.claim);
    const isOwn = template !== undefined || live?.claims.includes(path) === true;
    return { disk, path, template, claim: claims.find((one) => one.name === path), isOwn };
  });
}

function textOf({ name, image, size, created }: ClaimObject): string {
  return `${name} (${image === undefined ? "" : `from the image ${image}, `}${size}, created ${created})`;
}

function existingProblems(
  machine: string,
  { path, claim }: Found,
  { machines }: Cluster,
  { acceptVolumes, volumesBy }: Rules,
): string[] {
  // A machine that has never run may have no claims yet: its definition already says which ones it gets.
  const gets = ({ name, claims, disks }: Cluster["machines"][number]): boolean =>
    claims.includes(path) || disks.some((one) => `${name.split("/")[0]}/${one.claim}` === path);
  const user = machines.find((one) => one.name !== machine && gets(one));
  if (user !== undefined) return [`the volume ${path} of ${machine} is used by ${user.name}`];
  if (claim === undefined) return [];
  if (claim.isDeleted) return [`the volume ${path} of ${machine} is being deleted: wait until it is gone`];
  if (acceptVolumes.includes(path)) return [];
  const rename = volumesBy === "Harvester" ? "give the disk another name" : "give the machine another name";
  return [
    `the volume ${textOf(claim)} exists, and ${machine} would get it with its data: ${rename}, delete the volume, or list it in acceptVolumes`,
  ];
}

function changeProblems(machine: string, { disk, template, claim }: Found, { volumesBy }: Rules): string[] {
  const isHarvester = volumesBy === "Harvester";
  // CDI's claims name no image, and may be larger than requested.
  const known = template ?? (isHarvester ? claim : undefined);
  if (known === undefined) return [];
  const what = `the volume ${disk.claim} of ${machine}`;
  const instead = isHarvester ? "give the new disk another name" : "add the new disk to the end of the list";
  if (known.image !== disk.image)
    return [`${what} was made from ${was(known.image)}, and cannot become ${was(disk.image)}: ${instead}`];
  const { storageClass: before } = known;
  if (disk.storageClass !== undefined && before !== undefined && disk.storageClass !== before)
    return [`${what} has the storage class ${before}, and cannot move to ${disk.storageClass}: ${instead}`];
  const [wanted = 0, now = 0] = [quantityOf(disk.size), quantityOf(known.size)];
  if (isHarvester) return wanted < now ? [`${what} has ${known.size}, and cannot shrink to ${disk.size}`] : [];
  return wanted === now
    ? []
    : [`${what} has ${known.size}, and KubeVirt does not resize it to ${disk.size}: keep its size, or ${instead}`];
}

function was(image: string | undefined): string {
  return image === undefined ? "an empty disk" : `the image ${image}`;
}
