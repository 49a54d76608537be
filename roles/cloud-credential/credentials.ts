import { secretText, z } from "../../src/authoring.ts";
import { isLoopback } from "../../src/facts/catalogue.ts";

/** Rancher's cloud credentials for Harvester. */
export const credentialsSchema = z.strictObject({
  kubeconfig: z.string().min(1).describe("Kubeconfig of the cluster in which Rancher runs, on the controller"),
  rancherUrl: z
    .string()
    .regex(/^https?:\/\/[^\s/@]+\/?$/, "a URL like https://rancher.example.org")
    .refine(
      (url) => !url.startsWith("http:") || (URL.canParse(url) && isLoopback(url)),
      "a URL with https://, because the API token would be sent unencrypted",
    )
    .describe("URL of Rancher; `https://`, because the API token is sent there"),
  rancherToken: secretText().describe("API token of Rancher (ACCESS:SECRET); a secret"),
  caCert: z.string().optional().describe("Certificates to trust for Rancher, in PEM format"),
  credentials: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Names of the credentials' Secrets in cattle-global-data; default: all for Harvester"),
  renewBeforeHours: z
    .int()
    .nonnegative()
    .default(72)
    .describe("A run replaces a kubeconfig that expires within this many hours"),
});
