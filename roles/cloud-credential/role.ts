import { role } from "../../src/authoring.ts";
import { credentialsSchema } from "./credentials.ts";
import { credentialsValid } from "./credentials-valid.ts";

const secondsPerHour = 3600;

/** Keeps Rancher's cloud credentials for Harvester valid. */
export const cloudCredential = role(
  {
    name: "cloud credential",
    summary: "Keep Rancher's cloud credentials for Harvester valid",
    params: credentialsSchema,
  },
  ({ kubeconfig, rancherUrl, rancherToken, caCert, credentials, renewBeforeHours }) => [
    credentialsValid({
      kubeconfig,
      url: rancherUrl,
      token: String(rancherToken),
      renewBeforeSeconds: renewBeforeHours * secondsPerHour,
      ...(caCert !== undefined && { caCert }),
      ...(credentials !== undefined && { names: credentials }),
    }),
  ],
);
