import { z } from "zod";
import { hideCredential, reveal } from "../../core/secrets/secret.ts";

const name = z.string().min(1);

/** The request to the driver. */
export const requestSchema = z.strictObject({
  kubeconfig: name,
  url: z.url({ protocol: /^https?$/ }),
  token: name,
  caCert: name.optional(),
  names: z.array(name).optional(),
  renewBeforeSeconds: z.int().nonnegative(),
});

/** The request to the driver, validated. */
export type Question = z.output<typeof requestSchema>;

/** Rancher's response. */
export type HttpAnswer =
  | { readonly status: number; readonly body: string }
  | { readonly error: { readonly message: string } };

/** A request to Rancher. */
export function requestTo({ url, token: given, caCert }: Question, path: string) {
  const token = reveal(given);
  hideCredential(token, "rancher-token");
  return {
    url: url.replace(/\/$/, "") + path,
    timeoutSeconds: 30,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    maxBytes: 1_048_576,
    ...(caCert !== undefined && { caCert }),
  };
}

/** A string parsed as JSON; undefined if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
