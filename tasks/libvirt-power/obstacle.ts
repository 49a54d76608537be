import {
  type Absent,
  absent,
  file,
  type FileValue,
  type HostFact,
  libvirtNet,
  type Refusal,
  refuse,
} from "../../src/authoring.ts";
import { isActiveState, type LibvirtDomain, type LibvirtNet } from "../../src/facts/catalogue.ts";
import { networkObstacle, noKvm, savedDomain, stuckDomain } from "../libvirt-domain/obstacle.ts";

type Found = LibvirtDomain | Absent;

/** The state that a virtual machine must have. */
interface WantedPower {
  readonly name: string;
  readonly state: "running" | "shutoff";
  readonly force: boolean;
}

/** Explains why a virtual machine cannot be started or shut down; undefined if its own state allows it. */
export function powerObstacle(p: WantedPower, domain: Found): Refusal | undefined {
  if (domain === absent) {
    return refuse({
      code: "domain-missing",
      message: `libvirt has no virtual machine ${p.name}`,
      hint: "Correct the name (see virsh list --all), or create the machine with libvirtDomain first",
    });
  }
  if (p.state === "shutoff" && isActiveState(domain.state) && !domain.persistent) {
    return refuse({
      code: "domain-transient",
      message: `libvirt would forget ${p.name} once it is off, because its definition is not stored`,
      current: "transient",
      expected: "persistent",
      hint: `Store its definition first: virsh dumpxml --inactive ${p.name} >${p.name}.xml && virsh define ${p.name}.xml`,
    });
  }
  const saved = p.state === "shutoff" && !p.force ? savedDomain(p.name, domain) : undefined;
  if (saved !== undefined) return saved;
  // If a machine is already shutting down, it is enough to wait: an earlier run may have been killed while it waited.
  return p.state === "shutoff" && domain.state === "in shutdown" ? undefined : stuckDomain(p, domain);
}

/** The answers to {@link factsToStart}. */
export interface StartSurroundings {
  readonly networks: readonly (LibvirtNet | Absent)[];
  readonly images: readonly (FileValue | Absent)[];
  readonly kvm?: unknown;
}

/**
 * The facts that show whether these machines can start: the networks, disk images and KVM for the machines that are
 * off.
 */
export function factsToStart(domains: readonly Found[]): {
  networks: HostFact<LibvirtNet | Absent>[];
  images: HostFact<FileValue | Absent>[];
  kvm?: HostFact<FileValue | Absent>;
} {
  return {
    networks: networksOf(domains).map(libvirtNet),
    images: imagesOf(domains).map((path) => file(path)),
    ...(off(domains).some(({ type }) => type === "kvm") && { kvm: file("/dev/kvm") }),
  };
}

/** Explains why one of these machines cannot start; undefined if every machine that is off can start. */
export function startObstacle(domains: readonly Found[], now: StartSurroundings): Refusal | undefined {
  const lost = imagesOf(domains).find((_, at) => now.images[at] === absent);
  if (lost !== undefined) {
    return refuse({
      code: "disk-missing",
      message: `the disk ${lost} does not exist, so the virtual machine that it belongs to cannot start`,
      hint: "Mount the file system that contains it, then rerun",
    });
  }
  for (const [at, name] of networksOf(domains).entries()) {
    const wrong = networkObstacle(name, now.networks[at] ?? absent, true);
    if (wrong) return wrong;
  }
  return "kvm" in now && now.kvm === absent ? noKvm() : undefined;
}

function off(domains: readonly Found[]): LibvirtDomain[] {
  return domains.flatMap((domain) => (domain === absent || isActiveState(domain.state) ? [] : domain));
}

function networksOf(domains: readonly Found[]): string[] {
  const nics = off(domains).flatMap(({ interfaces }) => Object.values(interfaces));
  return named(nics.map((nic) => (nic === absent ? "" : nic.network)));
}

function imagesOf(domains: readonly Found[]): string[] {
  const all = off(domains).flatMap(({ disks }) => Object.values(disks));
  return named(all.map((disk) => (disk === absent ? "" : disk.file)));
}

function named(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name !== "");
}
