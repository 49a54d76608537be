import { FurrowError } from "../../core/errors.ts";

/** True if virsh takes a name for a UUID, which it looks up before it looks up the name. */
export function isUuid(name: string): boolean {
  return name.length === 36 && /^[\da-f]{32}$/i.test(name.replaceAll("-", ""));
}

/** True if virsh takes the name of a virtual machine for the ID of a running one, or for a UUID. */
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
