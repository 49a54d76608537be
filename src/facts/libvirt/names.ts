import { FurrowError } from "../../core/errors.ts";

/** True if virsh would interpret a name as a UUID: it looks up a UUID first, and a name only after that. */
export function isUuid(name: string): boolean {
  return name.length === 36 && /^[\da-f]{32}$/i.test(name.replaceAll("-", ""));
}

/** True if virsh would interpret the name of a virtual machine as the ID of a running one, or as a UUID. */
export function isIdOrUuid(name: string): boolean {
  return /^\d+$/.test(name) || isUuid(name);
}

/** Throws if virsh would answer about a machine or network other than the one with this name. */
export function refuseName(name: string, as: "a virtual machine" | "a network"): void {
  if (!(as === "a network" ? isUuid(name) : isIdOrUuid(name))) return;
  throw new FurrowError("E_FACT", {
    what: `furrow cannot read ${as} named ${name}: virsh would read the one with this ${isUuid(name) ? "UUID" : "ID"}`,
    current: name,
    expected: "a name that virsh does not take for a UUID or the ID of a running machine",
    hint: "Give it another name, such as vm-101",
  });
}
