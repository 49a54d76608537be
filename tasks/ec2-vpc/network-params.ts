import { z } from "../../src/authoring.ts";
import { canonicalNetwork } from "../ec2-security-group/network.ts";

/** An IPv4 network of the sizes that EC2 accepts for VPCs and subnets. */
export const ipv4Network = () =>
  z.string({ error: 'a network, like "10.0.0.0/16"' }).refine((text) => {
    const prefix = Number(text.split("/")[1]);
    return canonicalNetwork(text) !== undefined && !text.includes(":") && prefix >= 16 && prefix <= 28;
  }, 'an IPv4 network with a prefix from 16 to 28, like "10.0.0.0/16"');

/** True if one network is part of another. Both are in canonical form. */
export function isWithin(inner: string, outer: string): boolean {
  const [outside = "", size = "0"] = outer.split("/");
  const [inside = "", ownSize = "0"] = inner.split("/");
  return Number(ownSize) >= Number(size) && canonicalNetwork(`${inside}/${size}`) === `${outside}/${size}`;
}
