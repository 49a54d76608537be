import { z } from "../../src/authoring.ts";
import { shared } from "../gce-network/own.ts";

/** Params of `gceOsLogin`. */
export const params = z
  .strictObject({
    name: shared.name("Name of the instance, which need not exist yet"),
    project: shared.project(),
    zone: shared.zone(),
    key: z
      .string()
      .trim()
      .regex(/^\S+ \S+/, 'a public key, like "ssh-ed25519 AAAA…"')
      .describe("Public key for the login"),
    account: z
      .string()
      .regex(/^[^@\s/]+@[^@\s/]+\.[^@\s/]+$/, 'an e-mail address, like "ann@example.com"')
      .optional()
      .describe("Account that logs in, a person's or a service account; default: the account of the credentials"),
    enabled: z
      .boolean()
      .optional()
      .describe(
        "Whether the instance uses OS Login; default: determined by the instance's metadata, the project's metadata and the organization's policy",
      ),
    validHours: z
      .int("a number of hours")
      .min(1, "at least 1 hour")
      .max(8760, "at most 8760 hours, a year")
      .default(168)
      .describe("Hours after which a key that the task registers expires"),
    renewHours: z
      .int("a number of hours")
      .min(0, "0 hours or more")
      .default(24)
      .describe("A key that expires within this many hours is registered again; must be less than validHours"),
    state: z
      .enum(["present", "absent"])
      .default("present")
      .describe(
        "present: the key is registered if the instance uses OS Login; absent: the key is removed from the account",
      ),
  })
  .refine((p) => p.renewHours < p.validHours, { message: "fewer hours than validHours", path: ["renewHours"] });

/** Parsed params of `gceOsLogin`. */
export type Params = z.output<typeof params>;
