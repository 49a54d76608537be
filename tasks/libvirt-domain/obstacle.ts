import { absent, type Refusal, refuse } from "../../src/authoring.ts";
import {
  type DiskImage,
  isSaved,
  type LibvirtDomain,
  type LibvirtNet,
  type LibvirtOverview,
  machineFamily,
} from "../../src/facts/catalogue.ts";
import type { DefinedDomain } from "./params.ts";

type Maybe<T> = T | typeof absent;

/** What a virtual machine needs on its host. Lists are in the order of the params. */
export interface Surroundings {
  readonly domain: Maybe<LibvirtDomain>;
  readonly libvirt: LibvirtOverview;
  readonly images: readonly Maybe<DiskImage>[];
  /** The directories of the machine's disks. */
  readonly folders: readonly unknown[];
  readonly networks: readonly Maybe<LibvirtNet>[];
  readonly kvm?: unknown;
}

/** Explains why a virtual machine cannot be created as described; undefined if it can be. */
export function obstacleTo(p: DefinedDomain, now: Surroundings, networks: readonly string[]): Refusal | undefined {
  const starts = p.state === "running" && (now.domain === absent || now.domain.state === "shut off");
  return (
    stuckDomain(p, now.domain) ??
    fixed(p, now.domain) ??
    takenDisk(
      p.name,
      p.disks.map(({ file }) => file),
      now.libvirt,
    ) ??
    first(p.disks.map((disk, at) => wrongImage(disk, now.images[at] ?? absent, now.folders[at]))) ??
    first(networks.map((network, at) => networkObstacle(network, now.networks[at] ?? absent, starts))) ??
    (starts && p.type === "kvm" && now.kvm === absent ? noKvm() : undefined)
  );
}

function first(refusals: readonly (Refusal | undefined)[]): Refusal | undefined {
  return refusals.find((refusal) => refusal !== undefined);
}

/** Refuses states that the user must examine, because a start or a shutdown would not help. */
export function stuckDomain(
  p: Pick<DefinedDomain, "name" | "state" | "force">,
  domain: Maybe<LibvirtDomain>,
): Refusal | undefined {
  if (domain === absent || ["running", "shut off"].includes(domain.state)) return undefined;
  if (p.state === "shutoff" && p.force) return undefined;
  const hints: Readonly<Record<string, string>> = {
    paused: `Find out why (is a disk full?), then: virsh resume ${p.name}`,
    crashed: `Check its console and log, then: virsh destroy ${p.name}`,
    "in shutdown": "Wait until it is shut off, then rerun",
    pmsuspended: `Wake it: virsh dompmwakeup ${p.name}`,
  };
  return refuse({
    code: `domain-${domain.state.replaceAll(" ", "-")}`,
    message: `${p.name} is ${domain.state}`,
    current: domain.reason === "" ? domain.state : `${domain.state}: ${domain.reason}`,
    expected: "running or shut off",
    hint: hints[domain.state] ?? `Find out why: virsh domstate --reason ${p.name}`,
  });
}

/** Refuses a machine that is off if libvirt has saved its memory: its guest system is suspended, not shut down. */
export function savedDomain(name: string, domain: Maybe<LibvirtDomain>): Refusal | undefined {
  if (domain === absent || !isSaved(domain)) return undefined;
  return refuse({
    code: "domain-saved",
    message: `${name} is not shut down: libvirt has saved its memory, with everything that was running in it`,
    current: `${domain.state} (saved)`,
    expected: "running, or shut off without saved memory",
    hint: `Start it (virsh start ${name}), and it continues where it stopped; or discard what was in memory: virsh managedsave-remove ${name}`,
  });
}

/** Refuses to remove a machine with checkpoints: libvirt would not undefine it, and backups may need them. */
export function domainWithCheckpoints(name: string, { checkpoints }: LibvirtDomain): Refusal | undefined {
  if (checkpoints.length === 0) return undefined;
  return refuse({
    code: "domain-has-checkpoints",
    message: `${name} cannot be removed, because backups may be based on its checkpoints`,
    current: checkpoints.join(", "),
    expected: "no checkpoints",
    hint: `Let the backup program delete them, or list and delete them (virsh checkpoint-list ${name}); or set force: true to remove the machine with them`,
  });
}

function fixed(p: DefinedDomain, domain: Maybe<LibvirtDomain>): Refusal | undefined {
  if (domain === absent) return undefined;
  const differ = (part: string, current: string, expected: string): Refusal =>
    refuse({
      code: `${part}-fixed`,
      message: `the ${part} of ${p.name} cannot be changed: the operating system on its disks was installed for the current one`,
      current,
      expected,
      hint: `Set ${part}: "${current}", or remove the virtual machine first`,
    });
  if (p.machine !== undefined && machineFamily(p.machine) !== domain.machine) {
    return differ("machine", domain.machine, p.machine);
  }
  return p.firmware !== undefined && p.firmware !== domain.firmware
    ? differ("firmware", domain.firmware, p.firmware)
    : undefined;
}

/** Refuses a disk that belongs to another guest: two guests that write to the same image destroy it. */
export function takenDisk(name: string, files: readonly string[], libvirt: LibvirtOverview): Refusal | undefined {
  for (const [other, domain] of Object.entries(libvirt.domains)) {
    const file = other === name || domain === absent ? undefined : files.find((one) => domain.disks.includes(one));
    if (file !== undefined) {
      return refuse({
        code: "disk-in-use",
        message: `${file} is a disk of ${other}`,
        hint: `Choose another file, or remove the disk from ${other} first`,
      });
    }
  }
  return undefined;
}

function wrongImage(
  disk: DefinedDomain["disks"][number],
  image: Maybe<DiskImage>,
  folder: unknown,
): Refusal | undefined {
  const { file, size, format } = disk;
  if (image === absent) {
    if (size === undefined) {
      return refuse({
        code: "disk-missing",
        message: `${file} does not exist`,
        hint: 'Set size to create it: size: "250G"',
      });
    }
    if (folder !== absent) return undefined;
    return refuse({
      code: "folder-missing",
      message: `${file} cannot be created, because its directory does not exist`,
      hint: "Mount its disk, or create the directory, in an earlier task",
    });
  }
  if (image.format !== format) {
    return refuse({
      code: "disk-format",
      message: `${file} is not in the format ${format}`,
      current: image.format,
      expected: format,
      hint: `Set format: "${image.format}" if it is the right file`,
    });
  }
  if (size === undefined || image.sizeBytes <= size) return undefined;
  return refuse({
    code: "disk-shrink",
    message: `${file} is larger than the requested size, and images never shrink: the data at the end would be lost`,
    current: `${image.sizeBytes} bytes`,
    expected: `${size} bytes`,
    hint: `Set size to the current size, or remove size`,
  });
}

/** Explains why a guest cannot use a network; an inactive network prevents only a start. */
export function networkObstacle(name: string, network: Maybe<LibvirtNet>, starts: boolean): Refusal | undefined {
  if (network === absent) {
    return refuse({
      code: "network-missing",
      message: `libvirt has no network ${name}`,
      hint: `Put libvirtNet({ name: "${name}", … }) before this task`,
    });
  }
  if (network.active || !starts) return undefined;
  return refuse({
    code: "network-inactive",
    message: `network ${name} is not active, so no guest can start on it`,
    hint: `Put libvirtNet({ name: "${name}", state: "active", … }) before this task`,
  });
}

/** The refusal of a KVM guest on a host without KVM. */
export function noKvm(): Refusal {
  return refuse({
    code: "no-kvm",
    message: "this host has no /dev/kvm, so it cannot run KVM guests",
    hint: 'Enable (nested) virtualization, or set type: "qemu" for slow software emulation',
  });
}
