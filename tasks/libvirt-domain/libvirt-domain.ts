import {
  absent,
  file,
  libvirtDomain as libvirtDomainFact,
  libvirtNet,
  peek,
  type Refusal,
  refuse,
  task,
} from "../../src/authoring.ts";
import {
  diskImage,
  imageUses,
  isActiveState,
  type LibvirtDomain,
  libvirtObstacle,
  libvirtOverview,
  libvirtUnits,
  unitsInDoubt,
  virshProgram,
  livePaths,
} from "../../src/facts/catalogue.ts";
import { targetsOf } from "./devices.ts";
import { virsh } from "../libvirt-net/steps.ts";
import { neededImage } from "./dependents.ts";
import { domainWithCheckpoints, obstacleTo, savedDomain, takenDisk } from "./obstacle.ts";
import { foreignUse } from "./foreign-use.ts";
import { imagesNotUsed, overlayOf } from "./overlay.ts";
import { type DefinedDomain, type DomainParams, params } from "./params.ts";
import { domainWithTpm, lostTpm } from "./tpm.ts";
import { defineStep, imageStep, stateStep, undefineStep } from "./steps.ts";
import { wantedConfig, wantedLive } from "./wanted.ts";

/** Defines a libvirt virtual machine with its disk images, and starts it or shuts it off. */
export const libvirtDomain = task({
  name: "libvirtDomain",
  summary: "Keep a libvirt virtual machine as described, with its disk images; a running guest is never interrupted",
  params,
  examples: [
    {
      name: "node-1",
      memoryMiB: 32_768,
      vcpus: 8,
      disks: [{ file: "/mnt/data1/node-1.qcow2", size: "250G", serial: "node-1" }],
      interfaces: [{ mac: "52:54:00:00:00:01", network: "vlan1" }],
      bootOrder: ["hd", "network"],
      vnc: { port: 5901 },
    },
    { name: "node-1", state: "absent", removeDisks: true },
  ],
  title: (p) => `libvirtDomain ${p.name}`,
})
  .facts((p) => ({
    domain: libvirtDomainFact(p.name),
    libvirt: libvirtOverview(),
    virsh: virshProgram(),
    networks: networksOf(p).map(libvirtNet),
    folders: p.state === "absent" ? [] : p.disks.map((disk) => file(disk.file.replace(/\/[^/]*$/, "") || "/")),
    ...(p.state === "running" && p.type === "kvm" && { kvm: file("/dev/kvm") }),
  }))
  .facts((p, { domain, libvirt }) => ({
    units: libvirt.daemon === "down" ? libvirtUnits() : [],
    images: (p.state === "absent" ? lostDisks(p, domain) : p.disks.map((disk) => disk.file)).map(diskImage),
    uses: (p.state === "absent" ? lostDisks(p, domain) : imagesNotUsed(p, domain)).map(imageUses),
  }))
  .facts((_, { units }) => unitsInDoubt(units))
  .want((p, now) => {
    const { domain, libvirt } = now;
    if (p.state === "absent" && domain === absent) return {};
    const obstacle = libvirtObstacle({ virsh: peek(now, "virsh"), libvirt, units: now.units });
    if (obstacle) return obstacle;
    if (p.state === "absent") {
      const files = lostDisks(p, domain);
      const kept =
        refuseToLose(p, domain) ??
        takenDisk(p.name, files, libvirt) ??
        neededImage({ files, machines: [p.name], uses: now.uses, domains: libvirt.domains });
      return (
        kept ?? {
          domain: absent,
          libvirt: { domains: { [p.name]: absent } },
          images: now.images.map((): typeof absent => absent),
        }
      );
    }
    const added = imagesNotUsed(p, domain);
    const wrong =
      overlayOf(p, added, now.uses) ??
      obstacleTo(p, now, networksOf(p)) ??
      foreignUse(p.name, added, now.uses, libvirt.domains);
    if (wrong) return wrong;
    const running = p.state === "running";
    return {
      domain: {
        ...wantedConfig(p, domain),
        persistent: true,
        autostart: p.autostart,
        state: running ? "running" : "shut off",
      },
      libvirt: { domains: { [p.name]: { active: running, ...(domain === absent && claims(p)) } } },
      images: p.disks.map(({ size, format }) => (size === undefined ? undefined : { format, sizeBytes: size })),
    };
  })
  .steps((p, { change, now }) => {
    const { domain, images } = now;
    if (p.state === "absent") {
      if (domain === absent) return [];
      // Remove the files first: without the definition, nothing shows which files belong to the machine.
      return [
        isActiveState(domain.state) && virsh("destroy", p.name),
        lostDisks(p, domain).map((path, at) => change.images?.[at] && { step: "remove", path, recursive: false }),
        domain.persistent && undefineStep(p.name, domain),
      ];
    }
    const paths = change.domain?.paths ?? [];
    const defines = domain === absent || paths.some((path) => !["state", "autostart"].includes(path));
    const autostarts = domain === absent ? p.autostart : paths.includes("autostart");
    return [
      p.disks.map((_, at) => change.images?.[at] && imageStep(p, at, images[at] ?? absent, domain)),
      (defines || (change.domain === undefined && change.libvirt !== undefined)) && defineStep(p, domain),
      autostarts && virsh("autostart", p.name, ...(p.autostart ? [] : ["--disable"])),
      stateStep(p, domain),
    ];
  })
  .notes((p, { domain }) => {
    if (domain === absent) return [];
    if (p.state === "absent") return [...lostCheckpoints(domain), ...lostTpm(domain)];
    const parts = restartParts(p, domain);
    return [
      ...(parts.length > 0 ? [`needs a restart for ${parts.join(", ")}`] : []),
      ...leftImages(p, domain),
      ...(domain.saved && domain.live === absent ? ["its next start resumes from a saved memory image"] : []),
    ];
  });

/** The parts of the definition that take effect on the running machine only when it restarts. */
function restartParts(p: DefinedDomain, domain: LibvirtDomain): string[] {
  if (domain.live === absent) return [];
  const targets = targetsOf(p.disks);
  const attached = p.disks.flatMap((disk, at) => (disk.attachedLater ? [`disks.${targets[at]}`] : []));
  return livePaths(domain.live, wantedLive(p, domain)).filter((path) => !attached.includes(path));
}

function networksOf(p: DomainParams): string[] {
  if (p.state === "absent") return [];
  return [...new Set(p.interfaces.flatMap(({ network }) => network ?? []))];
}

/**
 * Returns the files that are deleted with the virtual machine: those in its definition and those that it currently
 * uses; if `removeDisks` is a list, only the files in that list.
 */
function lostDisks(p: DomainParams, domain: LibvirtDomain | typeof absent): string[] {
  if (p.state !== "absent" || p.removeDisks === false || domain === absent) return [];
  const { removeDisks: removes } = p;
  return filesOf(domain).filter((path) => removes === true || removes.includes(path));
}

/**
 * Returns the files of a machine's hard disks. A running machine may use a disk that is no longer in its definition;
 * the image of such a disk counts too, because no machine would own it afterwards.
 */
function filesOf(domain: LibvirtDomain): string[] {
  const live = domain.live === absent ? [] : Object.values(domain.live.disks);
  const files = [...Object.values(domain.disks), ...live].flatMap((disk) => (disk === absent ? [] : disk.file));
  return [...new Set(files)];
}

/**
 * Returns notes about the images of disks that the machine will lose. The images are kept, and after a restart nothing
 * shows which machine used them.
 */
function leftImages(p: DefinedDomain, domain: LibvirtDomain): string[] {
  const kept = new Set(p.disks.map(({ file: path }) => path));
  const left = filesOf(domain).filter((path) => path !== "" && !kept.has(path));
  return left.length === 0 ? [] : [`not deleted: ${left.join(", ")}; remove by hand what is no longer needed`];
}

function lostCheckpoints({ checkpoints }: LibvirtDomain): string[] {
  if (checkpoints.length === 0) return [];
  return [`its checkpoints are deleted: ${checkpoints.join(", ")}; the next backup cannot be incremental`];
}

function refuseToLose(p: DomainParams, domain: LibvirtDomain | typeof absent): Refusal | undefined {
  if (p.force || domain === absent) return undefined;
  if (!isActiveState(domain.state)) {
    return savedDomain(p.name, domain) ?? domainWithCheckpoints(p.name, domain) ?? domainWithTpm(p.name, domain);
  }
  return refuse({
    code: "domain-active",
    message: `${p.name} cannot be removed, because it is ${domain.state}`,
    current: domain.state,
    expected: "shut off",
    hint: 'Shut it down first (state: "shutoff"), or set force: true to power it off',
  });
}

/** Returns the resources that a new virtual machine claims. */
function claims(p: DefinedDomain): { disks: string[]; networks: string[]; bridges: string[] } {
  return {
    disks: p.disks.map((disk) => disk.file).toSorted(),
    networks: networksOf(p).toSorted(),
    bridges: [...new Set(p.interfaces.flatMap(({ bridge }) => bridge ?? []))].toSorted(),
  };
}
