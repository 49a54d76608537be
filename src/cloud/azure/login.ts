import { credentialOf } from "./clients.ts";

/** A token for the API, and when it must be renewed. */
interface Token {
  readonly token: string;
  readonly renewAt: number;
}

/** The tokens in use or being requested, by login and endpoint. */
const tokens = new Map<string, Promise<Token>>();

/** How long before its expiry a token is renewed, in milliseconds. */
const early = 5 * 60_000;

/**
 * A token for the login that DefaultAzureCredential finds: the login of the Azure CLI, of the environment or of a
 * managed identity. The package is loaded on first use; the token is kept in memory until it expires. Throws
 * FurrowError E_DRIVER if the package is not installed, and what the package throws if nobody is logged in.
 */
export async function tokenFor(endpoint: string, signal: AbortSignal): Promise<string> {
  const environment = Object.entries(process.env).filter(([name]) => /^(AZURE|IDENTITY|MSI)_/.test(name));
  const key = JSON.stringify([endpoint, environment]);
  const known = tokens.get(key);
  const kept = known === undefined ? undefined : await known.catch(() => undefined);
  if (kept !== undefined && kept.renewAt > Date.now()) return kept.token;
  if (tokens.get(key) === known) tokens.set(key, fresh(endpoint, signal));
  const asked = tokens.get(key) ?? fresh(endpoint, signal);
  return (await asked).token;
}

/** Forgets a token that the API has refused. */
export function forgetTokens(): void {
  tokens.clear();
}

async function fresh(endpoint: string, signal: AbortSignal): Promise<Token> {
  const credential = await credentialOf(["@azure/identity"]);
  const given = await credential.getToken(`${endpoint}/.default`, { abortSignal: signal });
  return { token: given.token, renewAt: given.expiresOnTimestamp - early };
}
