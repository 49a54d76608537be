import { absent } from "../../src/authoring.ts";
import type { LibvirtDomain, WantedDomainConfig } from "../../src/facts/catalogue.ts";
import { targetsOf } from "./devices.ts";
import { type DefinedDomain, isVersioned } from "./params.ts";

type Found = LibvirtDomain | typeof absent;

/**
 * Returns the configuration that the params describe. Disks and interfaces in `there` that the params do not list are
 * removed.
 */
export function wantedConfig(p: DefinedDomain, there: Found): WantedDomainConfig {
  const isNew = there === absent;
  const machine = p.machine ?? (isNew ? "q35" : undefined);
  const firmware = p.firmware ?? (isNew ? "bios" : undefined);
  const cpu = p.cpu ?? (isNew ? (p.type === "kvm" ? "host-passthrough" : "maximum") : undefined);
  const ordered = [...p.disks, ...p.interfaces].some(({ boot }) => boot !== undefined);
  const bindsBoot = ordered || p.bootOrder !== undefined;
  const boot = (place: number | undefined): { boot?: number } => (bindsBoot ? { boot: place ?? 0 } : {});
  const targets = targetsOf(p.disks);
  const disks = p.disks.map((disk, at): [string, NonNullable<WantedDomainConfig["disks"]>[string]] => [
    targets[at] ?? "",
    {
      file: disk.file,
      format: disk.format,
      bus: disk.bus,
      ...(disk.serial !== undefined && { serial: disk.serial }),
      ...(disk.wwn !== undefined && { wwn: disk.wwn }),
      ...boot(disk.boot),
    },
  ]);
  const interfaces = p.interfaces.map((nic): [string, NonNullable<WantedDomainConfig["interfaces"]>[string]] => [
    nic.mac,
    { network: nic.network ?? "", bridge: nic.bridge ?? "", model: nic.model, ...boot(nic.boot) },
  ]);
  return {
    type: p.type,
    memoryMiB: p.memoryMiB,
    vcpus: p.vcpus,
    ...(cpu !== undefined && { cpu }),
    ...(machine !== undefined && (isVersioned(machine) ? { machineType: machine } : { machine })),
    ...(firmware !== undefined && { firmware }),
    ...(bindsBoot && { boot: p.bootOrder ?? [] }),
    onReboot: p.onReboot,
    ...(p.onCrash !== undefined && { onCrash: p.onCrash }),
    disks: Object.fromEntries([...gone(isNew ? {} : there.disks), ...disks]),
    interfaces: Object.fromEntries([...gone(isNew ? {} : there.interfaces), ...interfaces]),
    serial: p.serial,
    ...(p.serialLog !== undefined && { serialLog: p.serialLog }),
    ...(p.vnc !== undefined && { vnc: p.vnc === false ? absent : { listen: p.vnc.listen, port: p.vnc.port ?? 0 } }),
  };
}

function gone(there: object): [string, typeof absent][] {
  return Object.keys(there).map((key) => [key, absent]);
}

/**
 * Returns the part of the configuration that can be compared with a running machine, because a running machine shows it
 * in the same form.
 */
export function wantedLive(p: DefinedDomain, there: LibvirtDomain): WantedDomainConfig {
  const { machineType: _type, cpu, disks, interfaces, ...rest } = wantedConfig(p, there);
  // A device that is no longer in the definition stays attached until the machine is shut off.
  const live = there.live === absent ? { disks: {}, interfaces: {} } : there.live;
  const devices = {
    disks: { ...Object.fromEntries(gone(live.disks)), ...disks },
    interfaces: { ...Object.fromEntries(gone(live.interfaces)), ...interfaces },
  };
  // With host-model, a running machine shows the model that libvirt selected.
  return { ...rest, ...devices, ...(cpu !== undefined && cpu !== "host-model" && { cpu }) };
}
