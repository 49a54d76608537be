import type * as sdkTypes from "@aws-sdk/client-ec2";
import type { EC2Client } from "@aws-sdk/client-ec2";
import { failureOf } from "./failures.ts";
import { checkProfile } from "./profile.ts";

/** The SDK, once it is loaded. */
export type Sdk = typeof sdkTypes;

/** One region of EC2 and the act it is asked for. */
export interface Ec2 {
  readonly sdk: Sdk;
  readonly client: EC2Client;
  /** As asked for; undefined: as the SDK finds it. */
  readonly region: string | undefined;
  readonly signal: AbortSignal;
  /** For the SDK's calls. */
  readonly http: { readonly abortSignal: AbortSignal };
  readonly say: ((text: string) => void) | undefined;
  /** True where an act is only tried, to learn whether it is allowed: what earlier tasks make may be missing. */
  readonly dry?: boolean;
}

const clients = new Map<string, EC2Client>();

/**
 * EC2 in one region, with the controller's own credentials: environment, profile, SSO, machine role. The SDK is loaded
 * when this is first called. Throws FurrowError E_DRIVER for a profile that is not there.
 */
export async function ec2In(
  region: string | undefined,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<Ec2> {
  checkProfile();
  const sdk = await import("@aws-sdk/client-ec2");
  const key = region ?? "";
  const client =
    clients.get(key) ??
    new sdk.EC2Client({
      ...(region !== undefined && { region }),
      // Waits longer where it is told that it asks too often; a failure that stays is known within some 3 s.
      retryMode: "adaptive",
      maxAttempts: 6,
      customUserAgent: "furrow",
    });
  clients.set(key, client);
  return { sdk, client, region, signal, http: { abortSignal: signal }, say };
}

/** An answer of the SDK; what it throws becomes a FurrowError E_DRIVER that says what was attempted: `launch web-1`. */
export async function told<T>(ec2: Ec2, doing: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    ec2.signal.throwIfAborted();
    throw failureOf(error, doing, ec2.region);
  }
}
