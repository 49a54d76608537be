import { absent } from "../../core/facts/symbols.ts";
import { machineFamily } from "./domain-config.ts";
import type { WantedDomainConfig } from "./wanted-domain.ts";
import { withDisks, withInterfaces } from "./domain-devices.ts";
import {
  attribute,
  child,
  childrenOf,
  element,
  parseXml,
  printXml,
  withAttributes,
  withChild,
  withChildren,
  type Xml,
} from "./xml.ts";

/**
 * The XML from which to define a domain. The want is merged into the existing XML, which keeps the UUID, MACs, bus
 * addresses and everything that furrow does not manage. If `existing` is undefined, the want is merged into an empty
 * domain.
 */
export function domainXml(existing: string | undefined, name: string, want: WantedDomainConfig): string {
  let domain = existing === undefined ? emptyDomain() : parseXml(existing, `domain ${name}`);
  const text = (part: string, value: string | number | undefined, attributes = {}): void => {
    if (value !== undefined) {
      domain = withChild(domain, part, (old) => ({
        ...withAttributes(old, attributes),
        children: [],
        text: String(value),
      }));
    }
  };
  if (want.type !== undefined) domain = withAttributes(domain, { type: want.type });
  text("name", name);
  text("memory", want.memoryMiB, { unit: "MiB" });
  text("currentMemory", want.memoryMiB, { unit: "MiB" });
  text("vcpu", want.vcpus, { current: undefined });
  text("on_reboot", want.onReboot);
  text("on_crash", want.onCrash);
  domain = withCpu(domain, want);
  domain = withChild(domain, "os", (os) => withOs(os, want));
  return printXml(
    withChild(domain, "devices", (devices) =>
      withVnc(withSerial(withInterfaces(withDisks(devices, want.disks), want.interfaces), want), want.vnc),
    ),
  );
}

/** A new domain before the want is applied, with the virtual hardware that every system expects. */
function emptyDomain(): Xml {
  return element("domain", {}, [
    element("features", {}, [element("acpi"), element("apic")]),
    element("clock", { offset: "utc" }),
    element("on_poweroff", {}, [], "destroy"),
    element("devices", {}, [
      element("rng", { model: "virtio" }, [element("backend", { model: "random" }, [], "/dev/urandom")]),
    ]),
  ]);
}

/**
 * Applies the CPU model. If only the number of CPUs changes, drops a CPU topology that no longer matches,
 * because libvirt would refuse the domain.
 */
function withCpu(domain: Xml, { cpu, vcpus }: WantedDomainConfig): Xml {
  if (cpu !== undefined) {
    const isMode = ["host-passthrough", "host-model", "maximum"].includes(cpu);
    const made = isMode
      ? element("cpu", { mode: cpu })
      : element("cpu", { mode: "custom", match: "exact" }, [element("model", {}, [], cpu)]);
    return withChildren(domain, "cpu", cpu === "" ? [] : [made]);
  }
  const topology = child(domain, "cpu", "topology");
  if (vcpus === undefined || topology === undefined) return domain;
  const fits = ["sockets", "dies", "cores", "threads"].reduce(
    (all, part) => all * Number(attribute(topology, part) || 1),
    1,
  );
  return fits === vcpus ? domain : withChild(domain, "cpu", (old) => withChildren(old, "topology", []));
}

function withOs(os: Xml, want: WantedDomainConfig): Xml {
  let made = withChild(os, "type", (old) => {
    const asked = want.machineType ?? want.machine;
    const machine = attribute(old, "machine");
    const stays =
      asked === undefined || asked === machine || (want.machineType === undefined && machineFamily(machine) === asked);
    return { ...(stays ? old : withAttributes(old, { machine: asked })), text: old.text || "hvm" };
  });
  if (want.firmware === "uefi" && attribute(made, "firmware") !== "efi" && child(made, "loader") === undefined) {
    // Without this element, libvirt may choose firmware that boots only signed systems.
    const open = element("firmware", {}, [element("feature", { enabled: "no", name: "secure-boot" })]);
    made = withChildren(withAttributes(made, { firmware: "efi" }), "firmware", [open]);
  }
  if (want.boot === undefined) return made;
  return withChildren(
    made,
    "boot",
    want.boot.map((dev) => element("boot", { dev })),
  );
}

function withSerial(devices: Xml, { serial, serialLog }: WantedDomainConfig): Xml {
  if (serial === undefined && serialLog === undefined) return devices;
  const isPty = (one: Xml): boolean => attribute(one, "type") === "pty";
  const all = childrenOf(devices, "serial");
  const consoles = childrenOf(devices, "console");
  if (serial === false)
    return withChildren(
      devices,
      "serial",
      all.filter((one) => !isPty(one)),
    );
  const first = all.find(isPty);
  const change = (old: Xml): Xml =>
    serialLog === undefined
      ? old
      : withChildren(old, "log", serialLog === "" ? [] : [element("log", { file: serialLog, append: "on" })]);
  const made = change(first ?? element("serial", { type: "pty" }));
  const serials = first === undefined ? [made, ...all] : all.map((one) => (one === first ? made : one));
  // The first console is the first serial port under another name, so both must have the same settings.
  const isTwin = (one: Xml): boolean => isPty(one) && attribute(child(one, "target"), "type") === "serial";
  return withChildren(
    withChildren(devices, "serial", serials),
    "console",
    consoles.map((one) => (isTwin(one) ? change(one) : one)),
  );
}

function withVnc(devices: Xml, vnc: WantedDomainConfig["vnc"]): Xml {
  if (vnc === undefined) return devices;
  const others = childrenOf(devices, "graphics").filter((one) => attribute(one, "type") !== "vnc");
  const old = childrenOf(devices, "graphics").find((one) => attribute(one, "type") === "vnc");
  if (vnc === absent) return withChildren(devices, "graphics", others);
  let made = old ?? element("graphics", { type: "vnc", autoport: "yes" });
  if (vnc.port !== undefined) {
    made = withAttributes(
      made,
      vnc.port === 0 ? { port: undefined, autoport: "yes" } : { port: String(vnc.port), autoport: "no" },
    );
  }
  if (vnc.listen !== undefined) {
    made = withChildren(withAttributes(made, { listen: vnc.listen }), "listen", [
      element("listen", { type: "address", address: vnc.listen }),
    ]);
  }
  return withChildren(devices, "graphics", [made, ...others]);
}
