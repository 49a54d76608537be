import { absent } from "../../src/authoring.ts";

/** A folder. */
export const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };
/** SHA-256 of `br_netfilter` and a newline. */
export const boot = {
  ...folder,
  type: "file",
  mode: "0644",
  sha256: "3bfff2585066e0a9f96bbde61be25b49a06762530ee2fbb570958556fffe428a",
};
/** SHA-256 of `options kvm_intel nested=Y` and a newline. */
export const config = { ...boot, sha256: "433b0c2c1a3e7d24d9860222cd97869fca96dc2a54c3d538b3c122a6705024e5" };
/** SHA-256 of the two lines that blacklist floppy. */
export const list = { ...boot, sha256: "a662ceef89c8dd2cc8dc4469b1289783e6d02bf06d53ba93f52e70039470a125" };
/** A module that is not loaded. */
export const module = {
  state: "unloaded",
  kernel: "6.1.0-28-amd64",
  listed: true,
  locked: false,
  holders: [],
  references: 0,
  parameters: {},
  interfaces: [],
  disks: [],
  staleInitramfs: "",
};
/** A module that is loaded. */
export const loaded = { ...module, state: "loaded" };
/** A module that is built into the kernel. */
export const builtin = { ...module, state: "builtin" };
/** No other file mentions the module. */
export const rules = { rules: [] };
/** Another file has this line about the module. */
export const rule = (file: string, line: string): object => ({ rules: [{ file, line }] });
/** A host that does not load the module. */
export const bare = { module, rules, boot: absent, config: absent, bootFolder: folder, configFolder: folder };
/** A host that loads the module, now and at boot. */
export const right = { ...bare, module: loaded, boot };
