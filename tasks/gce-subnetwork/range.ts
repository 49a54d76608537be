import { z } from "../../src/authoring.ts";
import { canonicalNetwork } from "../ec2-security-group/network.ts";
import { isWithin } from "../ec2-vpc/network-params.ts";

/** The ranges that no subnetwork may overlap (https://cloud.google.com/vpc/docs/subnets#prohibited-ipv4-ranges). */
const prohibited = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "199.36.153.4/30",
  "199.36.153.8/30",
  "224.0.0.0/4",
  "255.255.255.255/32",
] as const;

/** The range from which Google takes the automatic subnetworks of a network. */
export const automatic = "10.128.0.0/9";

/** The prefix lengths of the largest and the smallest range that Google accepts. */
const sizes = [4, 29] as const;

/** True if two ranges share an address. Both are in canonical form. */
export function overlaps(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

/** The range of a subnetwork, which must be in canonical form. */
export const range = () =>
  z.string({ error: 'a range, like "10.20.0.0/20"' }).superRefine((text, context) => {
    const message = faultOf(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

function faultOf(text: string): string | undefined {
  const canonical = text.includes(":") ? undefined : canonicalNetwork(text);
  if (canonical === undefined) return 'an IPv4 range, like "10.20.0.0/20"';
  const prefix = Number(text.split("/")[1]);
  if (prefix < sizes[0] || prefix > sizes[1]) return `a range with a prefix from ${sizes[0]} to ${sizes[1]}`;
  if (text !== canonical) return `the first address of the range, "${canonical}"`;
  const taken = prohibited.find((one) => overlaps(one, text));
  return taken === undefined ? undefined : `a range that does not overlap ${taken}, which Google does not accept`;
}
