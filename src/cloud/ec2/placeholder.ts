import { absent, type Absent } from "../../core/facts/symbols.ts";
import type { Ec2 } from "./client.ts";
import { there } from "./one.ts";

/** The digits of an id that no resource has. EC2's ids have 8 or 17 hexadecimal digits after their prefix. */
const digits = "0".repeat(17);

/** The id that stands for a resource that does not exist yet: `vol-00000000000000000`. */
export function placeholder(prefix: string): string {
  return `${prefix}-${digits}`;
}

/** Whether a string, such as a call's input as JSON or an error message, contains a placeholder. */
export function hasPlaceholder(text: string): boolean {
  return text.includes(`-${digits}`);
}

/**
 * The id of a resource. In a rehearsal, an earlier task may create the resource, so a placeholder stands for a missing
 * one. Otherwise throws FurrowError E_DRIVER if the resource is missing.
 */
export function idOf<T>(
  { dry }: Pick<Ec2, "dry">,
  found: T | Absent,
  what: { readonly name: string; readonly prefix: string; readonly id: (thing: T) => string | undefined },
): string {
  if (found === absent && dry === true) return placeholder(what.prefix);
  return what.id(there(found, what.name)) ?? "";
}
