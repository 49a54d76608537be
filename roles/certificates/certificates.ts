import { seconds, z } from "../../src/authoring.ts";
import { settingsParams } from "../cluster-settings/params.ts";

/**
 * The earliest that a rotation can begin, in hours before expiry. With 8759 hours, which Harvester accepts, a new
 * certificate is due for renewal at once, and RKE2 restarts endlessly (harvester/harvester#11444).
 */
const mostHours = 2160;

/** Why furrow does not rotate RKE2's token. */
const noTokenRotation =
  "no rotation of RKE2's token: no server of the cluster could start afterwards, because etcd's bootstrap data is " +
  "encrypted with the old token (rancher/rke2#6250), and Harvester does not support it (harvesterhci.io/kb, Best " +
  "Practices for Harvester Security)";

/** The certificates of a Harvester cluster. */
export const certificatesSchema = z.strictObject({
  ...settingsParams,
  autoRotate: z
    .strictObject({
      enabled: z.boolean().describe("Whether Harvester renews the certificates of RKE2 before they expire"),
      expiringInHours: z
        .int()
        .min(1)
        .max(mostHours, `at most ${mostHours} hours: with more, RKE2 can restart endlessly (harvester#11444)`)
        .default(240)
        .describe("Hours before expiry at which Harvester begins the renewal"),
    })
    .optional()
    .describe("Renewal of RKE2's certificates by Harvester; default: the setting is left unchanged"),
  soonDays: z.int().nonnegative().default(30).describe("A certificate is reported this many days before it expires"),
  pagesPort: z.int().min(1).max(65_535).default(443).describe("Port of the Harvester UI"),
  rotateToken: z
    .literal(false, { error: noTokenRotation })
    .default(false)
    .describe("Always false: the token of RKE2 cannot be rotated"),
  deadlineSeconds: seconds().default(5400).describe("Seconds within which a rotation must finish"),
});

/** The validated vars for a cluster's certificates. */
export type Certificates = z.output<typeof certificatesSchema>;

/** The setting that makes Harvester renew RKE2's certificates (pkg/settings/settings.go). */
export const rotationSetting = "auto-rotate-rke2-certs";

/** The setting's value. */
export function rotationText({ enabled, expiringInHours }: NonNullable<Certificates["autoRotate"]>): string {
  return JSON.stringify({ enable: enabled, expiringInHours });
}

/** Whole days from one time to another. */
export function daysUntil(end: string, now: string): number {
  return Math.floor((Date.parse(end) - Date.parse(now)) / 86_400_000);
}

/**
 * Says when something expires: `expires at 2027-01-01T00:00:00Z, in 12 days`. Omits the days if there are more than
 * `soonDays`.
 */
export function endText(end: string, now: string, soonDays: number): string {
  const days = daysUntil(end, now);
  if (end <= now) return `EXPIRED at ${end}`;
  return `expires at ${end}${days <= soonDays ? `, in ${days} days` : ""}`;
}
