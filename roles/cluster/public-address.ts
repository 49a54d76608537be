import { z } from "../../src/authoring.ts";

/** A host name or an IP address. Other characters could end a URL, or a command that contains it. */
export const publicAddress = (): z.ZodType<string, string> =>
  z
    .string({ error: 'a host name or an IP address, like "203.0.113.10"' })
    .refine(
      (address) => /^[\w.:-]{1,253}$/.test(address) && hostOf(address) !== undefined,
      'a host name or an IP address, like "203.0.113.10"',
    );

/** Returns the host of a URL with this address, in the form that URLs have; undefined if there is no such URL. */
export function hostOf(address: string): string | undefined {
  return URL.parse(`https://${address.includes(":") ? `[${address}]` : address}`)?.hostname;
}
