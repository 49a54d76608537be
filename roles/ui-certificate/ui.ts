import { mapTexts, seconds, secret, z } from "../../src/authoring.ts";
import { settingsParams } from "../cluster-settings/params.ts";

const urlForm = "a URL with a name, like https://harvester.example.org";

/** The hostname and the certificate of the Harvester UI. */
export const uiCertificateSchema = z.strictObject({
  ...settingsParams,
  url: z
    .string()
    .regex(/^https:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/, urlForm)
    .describe("URL at which people open Harvester, without a path"),
  certificateFile: z
    .string()
    .min(1)
    .describe("File on the controller with the certificate, followed by the intermediate certificates (PEM)"),
  keyFile: z.string().min(1).describe("File on the controller with the certificate's private key (PEM); a secret"),
  caFile: z
    .string()
    .min(1)
    .optional()
    .describe("File on the controller with your own CA (PEM); default: the certificate is from a public CA"),
  addresses: z
    .array(z.union([z.ipv4(), z.ipv6()]))
    .min(1)
    .optional()
    .describe(
      "Addresses to which the name may resolve, such as those of a load balancer; default: the virtual address",
    ),
  minimumDays: z
    .int()
    .nonnegative()
    .default(7)
    .describe("Days for which the certificate must still be valid; otherwise it is refused"),
  deadlineSeconds: seconds().default(600).describe("Seconds within which Harvester must serve the certificate"),
});

/** The validated hostname and certificate of the Harvester UI. */
export type UiCertificate = z.output<typeof uiCertificateSchema>;

/** The contents of the certificate's files. All are secrets, because furrow reads all files in the same way. */
export interface Texts {
  readonly certificate: string;
  readonly key: string;
  readonly ca?: string;
}

/** The files of the certificate; furrow reads them just before the run. */
export function textsOf({ certificateFile, keyFile, caFile }: UiCertificate): Texts {
  return {
    certificate: String(secret.file(certificateFile)),
    key: String(secret.file(keyFile)),
    ...(caFile !== undefined && { ca: String(secret.file(caFile)) }),
  };
}

/** The setting's value (SSLCertificate in pkg/settings/settings.go of harvester/harvester). */
export function certificateText({ certificate, key, ca = "" }: Texts): string {
  return mapTexts([certificate, key, ca], ([publicCertificate, privateKey, authority]) =>
    JSON.stringify({ ca: authority, publicCertificate, privateKey }),
  );
}

/** The host and the port of a URL. */
export function placeOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? 443 : Number(port) };
}
