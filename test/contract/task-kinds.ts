import * as fc from "fast-check";
import { absent } from "../../src/authoring.ts";

const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,9}$/);
const names = fc.uniqueArray(name, { maxLength: 4 }).map((list) => list.toSorted());

/** Random values of the kinds of fact that are defined next to the only task that uses them. */
export const taskKinds: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  caStore: fc.record({ layout: fc.constantFrom("debian", "suse", "redhat", "none"), outdated: fc.boolean() }),
  caTrust: fc.record({ trusted: fc.boolean() }),
  discardMounts: fc.record({
    paths: fc.uniqueArray(fc.constantFrom("/", "/srv", "/mnt/a b", "/mnt/tab\there", "/mnt/back\\slash", "/mnt/ü"), {
      maxLength: 4,
    }),
  }),
  grubParameter: fc.record({
    program: fc.constantFrom("update-grub", "grub2-mkconfig", "bls", "none"),
    config: name.map((word) => `/boot/${word}/grub.cfg`),
    entries: fc.nat(),
    right: fc.boolean(),
    running: name,
    later: fc.array(fc.record({ file: name.map((word) => `/etc/default/grub.d/${word}.cfg`), line: name })),
  }),
  kernelModule: fc.record({
    state: fc.constantFrom("loaded", "builtin", "unloaded", "missing"),
    kernel: name,
    listed: fc.boolean(),
    locked: fc.boolean(),
    holders: names,
    references: fc.integer({ min: -1, max: 9 }),
    parameters: fc.dictionary(name, name, { maxKeys: 3, noNullPrototype: true }),
    interfaces: names,
    disks: names,
    staleInitramfs: fc.constantFrom("", "/boot/initrd.img-6.1.0"),
  }),
  kernelModuleRules: fc.record({
    rules: fc.array(
      fc.record({
        file: name.map((word) => `/etc/modprobe.d/${word}.conf`),
        line: name.map((word) => `options ${word} a=1`),
      }),
      { maxLength: 3 },
    ),
  }),
  networkState: fc.record({
    renderers: names,
    resolvers: names,
    systemd: fc.boolean(),
    armed: fc.boolean(),
    connection: fc.oneof(fc.constant(undefined), name),
    defaults: names,
    links: fc.dictionary(
      name,
      fc.record({
        kind: name,
        up: fc.boolean(),
        mtu: fc.nat(),
        maxMtu: fc.nat(),
        master: name,
        parent: name,
        vlan: fc.nat(4094),
        mode: name,
        addresses: names,
        routes: fc.dictionary(name, fc.constant(true), { maxKeys: 2, noNullPrototype: true }),
      }),
      { maxKeys: 3, noNullPrototype: true },
    ),
    foreign: fc.dictionary(name, name, { maxKeys: 2, noNullPrototype: true }),
  }),
  unitInstances: fc.record({ names }),
  unitVerdict: fc.oneof(fc.constant(absent), fc.record({ said: names })),
};
