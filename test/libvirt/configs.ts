import * as fc from "fast-check";
import { absent } from "../../src/core/facts/symbols.ts";
import type { DomainConfig } from "../../src/facts/libvirt/domain-config.ts";
import type { NetConfig } from "../../src/facts/libvirt/net-config.ts";

const hex = fc.integer({ min: 0, max: 255 }).map((byte) => byte.toString(16).padStart(2, "0"));
const mac = fc.tuple(hex, hex, hex).map((bytes) => `52:54:00:${bytes.join(":")}`);
const ip = fc.integer({ min: 2, max: 254 }).map((last) => `10.0.0.${last}`);
/** Short names in lower case. */
export const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
/** Strings with everything that must be escaped in XML. */
export const text = fc
  .string({ unit: fc.constantFrom("a", " ", "'", '"', "&", "<", ">", "é", "/", ",", "=", "&amp;") })
  .map((raw) => raw.trim());
const list = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { maxLength: 4 });
/** A record of up to four entries, sorted by name. */
export const sortedRecord = <V>(key: fc.Arbitrary<string>, value: fc.Arbitrary<V>): fc.Arbitrary<Record<string, V>> =>
  fc
    .dictionary(key, value, { maxKeys: 4, noNullPrototype: true })
    .map((record) => Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1))));

/** A random network that furrow can describe. */
export const netConfigs: fc.Arbitrary<NetConfig> = fc
  .record({
    bridge: word,
    forward: fc.record({
      mode: fc.constantFrom("isolated", "nat", "route"),
      interface: fc.oneof(fc.constant(""), word),
    }),
    address: fc.tuple(ip, fc.integer({ min: 8, max: 30 })).map((parts) => parts.join("/")),
    domain: fc.oneof(fc.constant(""), word),
    tftpRoot: text,
    dhcp: fc.record({
      ranges: fc
        .uniqueArray(
          fc.tuple(ip, ip).map((ends) => ends.join("-")),
          { maxLength: 3 },
        )
        .map((all) => all.toSorted()),
      lease: fc.constantFrom("", "0", "3600"),
      hosts: sortedRecord(mac, fc.record({ ip, name: fc.oneof(fc.constant(""), word) })),
      bootFile: text,
      bootServer: fc.oneof(fc.constant(""), ip),
    }),
    dnsmasqOptions: list(text.filter((line) => line !== "")),
  })
  .map((config) => ({
    ...config,
    forward: config.forward.mode === "isolated" ? { mode: "isolated", interface: "" } : config.forward,
    dhcp: {
      ...config.dhcp,
      lease: config.dhcp.ranges.length === 0 ? "" : config.dhcp.lease,
      bootServer: config.dhcp.bootFile === "" ? "" : config.dhcp.bootServer,
    },
  }));

const place = fc.integer({ min: 0, max: 3 });
/** A random virtual machine that furrow can describe. */
export const domainConfigs: fc.Arbitrary<DomainConfig> = fc
  .record({
    type: fc.constantFrom("kvm", "qemu"),
    memoryMiB: fc.integer({ min: 16, max: 1 << 20 }),
    vcpus: fc.integer({ min: 1, max: 64 }),
    cpu: fc.constantFrom("", "host-passthrough", "maximum", "EPYC"),
    machine: fc.constantFrom("q35", "pc", "virt"),
    firmware: fc.constantFrom("bios" as const, "uefi" as const),
    boot: fc.subarray(["hd", "network", "cdrom"]),
    onReboot: fc.constantFrom("restart", "destroy"),
    onCrash: fc.constantFrom("restart", "destroy"),
    disks: sortedRecord(
      fc.constantFrom("vda", "vdb", "sda", "hda"),
      fc.record({
        file: text.map((part) => `/${part}x`),
        format: fc.constantFrom("qcow2", "raw"),
        bus: fc.constantFrom("virtio", "sata"),
        serial: fc.oneof(fc.constant(""), word),
        wwn: fc.constantFrom("", "5000c50015ea71aa"),
        boot: place,
      }),
    ),
    interfaces: sortedRecord(
      mac,
      fc.record({ on: fc.constantFrom("network", "bridge"), name: word, model: word, boot: place }).map((nic) => ({
        network: nic.on === "network" ? nic.name : "",
        bridge: nic.on === "bridge" ? nic.name : "",
        model: nic.model,
        boot: nic.boot,
      })),
    ),
    serial: fc.boolean(),
    serialLog: text,
    vnc: fc.oneof(
      fc.constant(absent),
      fc.record({ listen: fc.constantFrom("127.0.0.1", "0.0.0.0"), port: fc.constantFrom(0, 5900, 5977) }),
    ),
  })
  .map((config) => ({ ...config, serialLog: config.serial ? config.serialLog : "" }));
