import { lookup } from "node:dns/promises";
import { z } from "zod";
import type { Driver } from "../../core/host/driver.ts";
import type { ResolvedName } from "../../facts/controller/certificate.ts";

const requestSchema = z.strictObject({ name: z.string().min(1) });

/** Asks the controller's resolver, which also reads the controller's hosts file, for the addresses of a name. */
export const dnsDriver: Driver = {
  name: "dns",
  read: async (request): Promise<ResolvedName> => {
    const { name } = requestSchema.parse(request);
    try {
      const found = await lookup(name, { all: true });
      return { addresses: [...new Set(found.map(({ address }) => address))].toSorted() };
    } catch (error) {
      const { code = "ERROR", message } = error as NodeJS.ErrnoException;
      return { error: { code, message } };
    }
  },
};
