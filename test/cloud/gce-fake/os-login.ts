import { createHash } from "node:crypto";
import type { CloudSettings } from "./settings.ts";
import { ApiFailure } from "./state.ts";

/** The calls of the OS Login API that furrow uses: https://cloud.google.com/compute/docs/oslogin/rest/v1/users */
export function osLogin(
  settings: CloudSettings,
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): object {
  const [, account = "", rest = ""] = /^v1\/users\/([^/:]+)([/:].*)$/.exec(path) ?? [];
  if (method === "GET" && rest === "/loginProfile") {
    const profile = settings.logins[account];
    if (profile === undefined) throw new ApiFailure(404, "NOT_FOUND", "User not found.");
    return { name: account, ...profile };
  }
  if (method === "POST" && rest === ":importSshPublicKey") return importKey(settings, account, body);
  const fingerprint = /^\/sshPublicKeys\/([^/]+)$/.exec(rest)?.[1];
  if (method === "DELETE" && fingerprint !== undefined) return deleteKey(settings, account, fingerprint);
  throw new ApiFailure(404, "notFound", `Not Found: ${path}`);
}

/**
 * Adds a key, or replaces the expiry of an existing key. An account without a login name gets one: for a person, it is
 * the e-mail address; for a service account, it begins with `sa_` (https://cloud.google.com/compute/docs/oslogin).
 */
function importKey(settings: CloudSettings, account: string, body: Readonly<Record<string, unknown>>): object {
  const { key, expirationTimeUsec, ...more } = body;
  const [fault] = Object.keys(more);
  if (fault !== undefined) throw new ApiFailure(400, "INVALID_ARGUMENT", `Unknown name "${fault}"`);
  if (typeof key !== "string" || !/^(ssh|ecdsa|sk)-\S+ \S+/.test(key)) {
    throw new ApiFailure(400, "INVALID_ARGUMENT", "The SSH public key is invalid.");
  }
  // The API sends and accepts 64-bit numbers as text.
  if (
    expirationTimeUsec !== undefined &&
    (typeof expirationTimeUsec !== "string" || !/^\d+$/.test(expirationTimeUsec))
  ) {
    throw new ApiFailure(400, "INVALID_ARGUMENT", 'Invalid value at "ssh_public_key.expiration_time_usec"');
  }
  const fingerprint = createHash("sha256").update(key).digest("hex");
  const { posixAccounts = [], sshPublicKeys = {} } = settings.logins[account] ?? {};
  const username = account.endsWith(".gserviceaccount.com") ? "sa_1000" : account.replaceAll(/[^a-z0-9]+/g, "_");
  const own = { primary: true, username, uid: "2001", gid: "2001", operatingSystemType: "LINUX" };
  const stored = { key, fingerprint, ...(expirationTimeUsec !== undefined && { expirationTimeUsec }) };
  const profile = {
    posixAccounts: posixAccounts.length > 0 ? posixAccounts : [own],
    sshPublicKeys: { ...sshPublicKeys, [fingerprint]: stored },
  };
  settings.logins = { ...settings.logins, [account]: profile };
  return { loginProfile: { name: account, ...profile } };
}

function deleteKey(settings: CloudSettings, account: string, fingerprint: string): object {
  const { sshPublicKeys = {}, ...profile } = settings.logins[account] ?? {};
  if (sshPublicKeys[fingerprint] === undefined) throw new ApiFailure(404, "NOT_FOUND", "SSH public key not found.");
  const left = Object.fromEntries(Object.entries(sshPublicKeys).filter(([name]) => name !== fingerprint));
  settings.logins = { ...settings.logins, [account]: { ...profile, sshPublicKeys: left } };
  return {};
}
