import { z } from "../../src/authoring.ts";
import { isFirstAddress, lengthOf } from "./rules.ts";

/** An IPv4 network, in canonical form. */
export const network = (example: string) =>
  z
    .cidrv4({ error: `an IPv4 network, like "${example}"` })
    .refine(isFirstAddress, `a network without host bits, like "${example}"`);

/** The range of a virtual network or subnet, of a size that Azure accepts. */
export const cidr = (why: string) =>
  network("10.20.0.0/16")
    .refine((range) => lengthOf(range) >= 2 && lengthOf(range) <= 29, "a network from /2 to /29, as Azure requires")
    .describe(why);
