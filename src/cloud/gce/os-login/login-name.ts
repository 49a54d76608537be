import { FurrowError } from "../../core/errors.ts";
import { isRecord } from "../../core/facts/symbols.ts";
import { askApi } from "./rehearsal/other-apis.ts";

/**
 * The login name that OS Login gives an account on Linux machines
 * (https://cloud.google.com/compute/docs/oslogin/rest/v1/users/getLoginProfile). Throws E_INVENTORY if OS Login knows no
 * name, or no SSH key, for the account, or if it does not answer.
 */
export async function osLoginUser(account: string, signal: AbortSignal): Promise<string> {
  const path = `v1/users/${encodeURIComponent(account)}/loginProfile`;
  const answer = await askApi({ api: "oslogin", path }, signal);
  if (answer.is === "unknown") {
    throw refused(`the OS Login name of ${account} cannot be read`, {
      current: answer.why,
      hint: "Enable the API with `gcloud services enable oslogin.googleapis.com`, and use credentials of this account",
    });
  }
  const profile = answer.is === "found" ? answer.body : {};
  const keys = isRecord(profile["sshPublicKeys"]) ? Object.keys(profile["sshPublicKeys"]) : [];
  const user = userIn(profile["posixAccounts"]);
  if (user !== undefined && keys.length > 0) return user;
  throw refused(`OS Login has no ${user === undefined ? "login name" : "SSH key"} for ${account}`, {
    hint: "Register your public key: `gcloud compute os-login ssh-keys add --key-file ~/.ssh/id_ed25519.pub`",
  });
}

/** The name in the primary account for Linux; an account may have more for other systems. */
function userIn(accounts: unknown): string | undefined {
  const all = (Array.isArray(accounts) ? accounts : []).filter(isRecord);
  const linux = all.filter(({ operatingSystemType: system }) => system === undefined || system === "LINUX");
  const { username } = linux.find(({ primary }) => primary === true) ?? linux[0] ?? {};
  return typeof username === "string" && username !== "" ? username : undefined;
}

function refused(what: string, more: { readonly current?: string; readonly hint: string }): FurrowError {
  return new FurrowError("E_INVENTORY", { what, ...more });
}
