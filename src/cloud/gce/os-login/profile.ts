import { FurrowError } from "../../../core/errors.ts";
import { isRecord } from "../../../core/facts/symbols.ts";
import { askApi, type ApiAnswer } from "../rehearsal/other-apis.ts";

/** A key in a profile. */
interface ProfileKey {
  /** The name by which the API identifies the key: its SHA-256 fingerprint. */
  readonly fingerprint: string;
  /** The type and the key itself, without a comment. */
  readonly key: string;
  /** Milliseconds since 1970; Infinity for a key that never expires. */
  readonly expires: number;
}

/** An account's profile in OS Login. */
export interface LoginProfile {
  /** The login name on Linux; undefined if the account has none yet. */
  readonly user: string | undefined;
  readonly keys: readonly ProfileKey[];
}

/**
 * Reads an account's profile (https://cloud.google.com/compute/docs/oslogin/rest/v1/users/getLoginProfile). An account
 * without a profile has neither a name nor keys. Returns the reason if OS Login does not respond.
 */
export async function readProfile(
  account: string,
  signal: AbortSignal,
): Promise<LoginProfile | { readonly why: string }> {
  const answer = await askApi({ api: "oslogin", path: `${pathOf(account)}/loginProfile` }, signal);
  if (answer.is === "unknown") return { why: answer.why };
  return profileIn(answer.is === "found" ? answer.body : {});
}

function profileIn(body: Readonly<Record<string, unknown>>): LoginProfile {
  const keys = isRecord(body["sshPublicKeys"]) ? Object.entries(body["sshPublicKeys"]) : [];
  return {
    user: userIn(body["posixAccounts"]),
    keys: keys.map(([fingerprint, value]) => {
      const { key, expirationTimeUsec: microseconds } = isRecord(value) ? value : {};
      const isLasting = microseconds === undefined || microseconds === null || microseconds === "";
      const expires = isLasting ? Infinity : Number(microseconds) / 1000;
      return { fingerprint, key: bareKey(typeof key === "string" ? key : ""), expires };
    }),
  };
}

/** The login name in the primary POSIX account for Linux; a profile may contain further accounts for other systems. */
function userIn(accounts: unknown): string | undefined {
  const all = (Array.isArray(accounts) ? accounts : []).filter(isRecord);
  const linux = all.filter(({ operatingSystemType: system }) => system === undefined || system === "LINUX");
  const { username } = linux.find(({ primary }) => primary === true) ?? linux[0] ?? {};
  return typeof username === "string" && username !== "" ? username : undefined;
}

/** A public key's type and content, without options and comment. */
export function bareKey(key: string): string {
  return key.trim().split(/\s+/).slice(0, 2).join(" ");
}

/** True for service accounts, which OS Login does not ask for a second factor. */
export function isServiceAccount(account: string): boolean {
  return account.endsWith(".gserviceaccount.com");
}

/**
 * Registers a key for a number of hours, and gives the account a login name if it has none
 * (https://cloud.google.com/compute/docs/oslogin/rest/v1/users/importSshPublicKey). Throws E_DRIVER.
 */
export async function registerKey(
  asked: { readonly account: string; readonly project: string; readonly key: string; readonly hours: number },
  signal: AbortSignal,
): Promise<void> {
  const { account, project, key, hours } = asked;
  const expires = Date.now() + hours * 3_600_000;
  const path = `${pathOf(account)}:importSshPublicKey?projectId=${encodeURIComponent(project)}`;
  const body = { key: key.trim(), expirationTimeUsec: String(expires * 1000) };
  const answer = await askApi({ api: "oslogin", path, body }, signal);
  if (answer.is !== "found") throw loginFailure(`register an SSH key for ${account}`, answer);
}

/** Removes all entries for a key from a profile. Throws E_DRIVER. */
export async function removeKey(account: string, key: string, signal: AbortSignal): Promise<void> {
  const profile = await readProfile(account, signal);
  if ("why" in profile) throw loginFailure(`read the profile of ${account}`, { is: "unknown", why: profile.why });
  for (const { fingerprint, key: own } of profile.keys) {
    if (own !== bareKey(key)) continue;
    const path = `${pathOf(account)}/sshPublicKeys/${encodeURIComponent(fingerprint)}`;
    const answer = await askApi({ api: "oslogin", path, method: "DELETE" }, signal);
    if (answer.is === "unknown") throw loginFailure(`remove an SSH key of ${account}`, answer);
  }
}

/** The error E_DRIVER for a failed call to OS Login, with a hint. */
export function loginFailure(what: string, answer: Exclude<ApiAnswer, { readonly is: "found" }>): FurrowError {
  const current = answer.is === "missing" ? "oslogin answers 404: there is no such account" : answer.why;
  return new FurrowError("E_DRIVER", { what: `cannot ${what} with OS Login`, current, hint: hintFor(current) });
}

function hintFor(current: string): string {
  if (/has not been used|is disabled|SERVICE_DISABLED/.test(current)) {
    return "Enable the API: gcloud services enable oslogin.googleapis.com; it takes a few minutes";
  }
  if (/answers 404/.test(current)) return "Correct the account: the e-mail address of a person or a service account";
  if (/answers 40[13]/.test(current)) {
    return "Use credentials of this account, or name the account of your credentials; in an organization, an administrator may have turned off access to the OS Login API";
  }
  return "Rerun in a few minutes, and check the connection to oslogin.googleapis.com";
}

function pathOf(account: string): string {
  return `v1/users/${encodeURIComponent(account)}`;
}
