import { z } from "../../src/authoring.ts";

/** A host name or an IP address. Other characters could end a URL, or a command that contains it. */
export const publicAddress = (): z.ZodType<string, string> =>
  z
    .string({ error: 'a host name or an IP address, like "203.0.113.10"' })
    .refine(
      (address) => /^[\w.:-]{1,253}$/.test(address) && hostOf(address) !== undefined,
      'a host name or an IP address, like "203.0.113.10"',
    );

/** Returns an address as the host part of a URL, with brackets around IPv6; undefined if the URL would be invalid. */
export function hostOf(address: string): string | undefined {
  return URL.parse(`https://${address.includes(":") ? `[${address}]` : address}`)?.hostname;
}
