import { FurrowError } from "../../../core/errors.ts";
import { readProfile } from "./profile.ts";

const hint =
  "Register your public key with the task gceOsLogin, or with `gcloud compute os-login ssh-keys add --key-file ~/.ssh/id_ed25519.pub --ttl 7d`";

/**
 * The login name that OS Login gives an account on Linux machines. Throws E_INVENTORY if OS Login has no name or no
 * valid SSH key for the account, or does not respond.
 */
export async function osLoginUser(account: string, signal: AbortSignal, now: Date): Promise<string> {
  const profile = await readProfile(account, signal);
  if ("why" in profile) {
    throw refused(`the OS Login name of ${account} cannot be read`, {
      current: profile.why,
      hint: "Enable the API with `gcloud services enable oslogin.googleapis.com`, and use credentials of this account",
    });
  }
  const { user, keys } = profile;
  if (user === undefined) throw refused(`OS Login has no login name for ${account}`, { hint });
  if (keys.length === 0) throw refused(`OS Login has no SSH key for ${account}`, { hint });
  if (keys.some(({ expires }) => expires > now.getTime())) return user;
  const last = new Date(Math.max(...keys.map(({ expires }) => expires))).toISOString();
  throw refused(`OS Login has only expired SSH keys for ${account}`, {
    current: `the last one expired at ${last}`,
    hint,
  });
}

function refused(what: string, more: { readonly current?: string; readonly hint: string }): FurrowError {
  return new FurrowError("E_INVENTORY", { what, ...more });
}
