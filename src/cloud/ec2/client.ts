import type * as sdkTypes from "@aws-sdk/client-ec2";
import type { EC2Client } from "@aws-sdk/client-ec2";
import { hideCredential } from "../../core/secrets/secret.ts";
import { missingSdk } from "../missing-sdk.ts";
import { failureOf } from "./failures.ts";
import { checkProfile } from "./profile.ts";

/** The loaded SDK. */
export type Sdk = typeof sdkTypes;

/** An EC2 region and the settings for calls to it. */
export interface Ec2 {
  readonly sdk: Sdk;
  readonly client: EC2Client;
  /** The requested region; if undefined, the SDK chooses one. */
  readonly region: string | undefined;
  readonly signal: AbortSignal;
  /** Options for the SDK's calls. */
  readonly http: { readonly abortSignal: AbortSignal };
  readonly say: ((text: string) => void) | undefined;
  /** True in a rehearsal, which makes no changes. Resources that earlier tasks create may then be missing. */
  readonly dry?: boolean;
}

const clients = new Map<string, EC2Client>();

/**
 * Creates an EC2 client for one region, with the controller's own credentials: environment, profile, SSO or instance
 * role. The first call loads the SDK. Throws FurrowError E_DRIVER if the profile does not exist or the SDK is not
 * installed.
 */
export async function ec2In(
  region: string | undefined,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<Ec2> {
  checkProfile();
  const sdk = await loadSdk();
  const key = region ?? "";
  const client = clients.get(key) ?? opened(sdk, region);
  clients.set(key, client);
  return { sdk, client, region, signal, http: { abortSignal: signal }, say };
}

function opened(sdk: Sdk, region: string | undefined): EC2Client {
  const client = new sdk.EC2Client({
    ...(region !== undefined && { region }),
    // Throttled calls wait longer; a persistent failure is reported after about 3 s.
    retryMode: "adaptive",
    maxAttempts: 6,
    customUserAgent: "furrow",
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      await credentialsOf({ client });
      return next(args);
    },
    // This runs after the request is signed: the SDK has just found the credentials for the signature.
    { step: "deserialize", name: "hideCredentials" },
  );
  return client;
}

/**
 * The credentials that the SDK finds. No output shows their secret parts. Throws what the SDK throws if it finds
 * nothing.
 */
export async function credentialsOf({ client }: Pick<Ec2, "client">) {
  const credentials = await client.config.credentials();
  hideCredential(credentials.secretAccessKey, "aws-secret-key");
  hideCredential(credentials.sessionToken, "aws-session-token");
  return credentials;
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import("@aws-sdk/client-ec2");
  } catch (error) {
    throw missingSdk(error, "@aws-sdk/client-ec2");
  }
}

/**
 * Returns the SDK's answer, and turns its errors into a FurrowError E_DRIVER that says what was attempted: `launch
 * web-1`.
 */
export async function told<T>(ec2: Ec2, doing: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    ec2.signal.throwIfAborted();
    throw failureOf(error, doing, ec2.region);
  }
}
