import { absent } from "../../core/facts/symbols.ts";
import { hardDisks, macOf, namedInterfaces, targetOf } from "./domain-config.ts";
import type { WantedDomainConfig } from "./wanted-domain.ts";
import { attribute, child, childrenOf, element, withAttributes, withChild, withChildren, type Xml } from "./xml.ts";

/** The `<devices>` with the wanted hard disks; removable media stay unchanged. */
export function withDisks(devices: Xml, disks: WantedDomainConfig["disks"]): Xml {
  if (disks === undefined) return devices;
  const asked = Object.values(disks).some((disk) => disk !== absent && disk.bus === "scsi");
  return withEach(
    asked ? withScsi(devices) : devices,
    "disk",
    hardDisks(devices),
    targetOf,
    disks,
    (old, target, want) => {
      const bus = child(old, "target");
      const moved = want.bus !== undefined && bus !== undefined && attribute(bus, "bus") !== want.bus;
      let disk = withAttributes(old ?? element("disk"), { type: "file", device: "disk" });
      disk = withChild(disk, "driver", (driver) =>
        withAttributes(driver, {
          name: driver.attributes["name"] ?? "qemu",
          ...(want.format !== undefined && { type: want.format }),
        }),
      );
      disk = withChild(disk, "source", (source) =>
        want.file === undefined ? source : withAttributes(source, { file: want.file }),
      );
      disk = withChild(disk, "target", (part) =>
        withAttributes(part, { dev: target, ...(want.bus !== undefined && { bus: want.bus }) }),
      );
      disk = withText(withText(disk, "serial", want.serial), "wwn", want.wwn);
      return withBoot(moved ? withChildren(disk, "address", []) : disk, want.boot);
    },
  );
}

/**
 * Adds a SCSI controller if the domain has none, because libvirt's default controller is an old model that does not
 * support world wide names.
 */
function withScsi(devices: Xml): Xml {
  const controllers = childrenOf(devices, "controller");
  if (controllers.some((one) => attribute(one, "type") === "scsi")) return devices;
  const made = element("controller", { type: "scsi", index: "0", model: "virtio-scsi" });
  return withChildren(devices, "controller", [...controllers, made]);
}

/** The `<devices>` with the wanted network interfaces. */
export function withInterfaces(devices: Xml, interfaces: WantedDomainConfig["interfaces"]): Xml {
  if (interfaces === undefined) return devices;
  return withEach(devices, "interface", namedInterfaces(devices), macOf, interfaces, (old, mac, want) => {
    let nic = withChild(old ?? element("interface"), "mac", () => element("mac", { address: mac }));
    const type = want.bridge ? "bridge" : want.network ? "network" : undefined;
    if (type !== undefined) {
      const name = want.bridge || want.network || "";
      const isSame = attribute(nic, "type") === type && attribute(child(nic, "source"), type) === name;
      nic = withAttributes(nic, { type });
      if (!isSame) nic = withChildren(nic, "source", [element("source", { [type]: name })]);
    }
    if (want.model !== undefined) nic = withChildren(nic, "model", [element("model", { type: want.model })]);
    return withBoot(nic, want.boot);
  });
}

/**
 * Changes, adds and removes devices of one type, each identified by a key. A device that the want does not list stays
 * unchanged.
 */
function withEach<W extends object>(
  devices: Xml,
  name: string,
  minded: readonly Xml[],
  keyOf: (device: Xml) => string,
  wanted: { readonly [key: string]: W | typeof absent },
  make: (old: Xml | undefined, key: string, want: W) => Xml,
): Xml {
  const changed = childrenOf(devices, name).map((device) => {
    const want = minded.includes(device) ? wanted[keyOf(device)] : undefined;
    if (want === undefined) return device;
    return want === absent ? undefined : make(device, keyOf(device), want);
  });
  const known = new Set(minded.map(keyOf));
  const fresh = Object.entries(wanted).flatMap(([key, want]) =>
    want === absent || known.has(key) ? [] : [make(undefined, key, want)],
  );
  return withChildren(devices, name, [...changed, ...fresh]);
}

function withText(of: Xml, name: string, text: string | undefined): Xml {
  if (text === undefined) return of;
  return withChildren(of, name, text === "" ? [] : [element(name, {}, [], text)]);
}

function withBoot(of: Xml, order: number | undefined): Xml {
  if (order === undefined) return of;
  return withChildren(of, "boot", order === 0 ? [] : [element("boot", { order: String(order) })]);
}
