import { isRecord } from "../../../core/facts/symbols.ts";
import { askApi } from "./other-apis.ts";
import { type PlannedCall, recordsIn, resourceOf } from "./planned-call.ts";
import { refused } from "./refused.ts";

/**
 * Refuses a call with a service account that does not exist or that the credentials are not allowed to use, or with a
 * key that does not exist or is not enabled. If this cannot be determined, returns the reasons.
 */
export async function rehearseParts(call: PlannedCall, signal: AbortSignal): Promise<string | undefined> {
  const open: string[] = [];
  for (const email of accountsIn(call)) open.push(...(await rehearseAccount(email, call.place.project, signal)));
  for (const key of keysIn(call)) open.push(...(await rehearseKey(key, signal)));
  return open.length === 0 ? undefined : open.join(", ");
}

/** The e-mail addresses of the service accounts that the call would give to an instance. */
export function accountsIn(call: PlannedCall): string[] {
  const set = call.fields["instancesSetServiceAccountRequestResource"];
  const accounts = [...recordsIn(resourceOf(call)["serviceAccounts"]), ...(isRecord(set) ? [set] : [])];
  return accounts.flatMap(({ email }) => (typeof email === "string" ? [email] : []));
}

/** The names of the keys that the call would encrypt with. */
export function keysIn(call: PlannedCall): string[] {
  const resource = resourceOf(call);
  const found = [resource, ...recordsIn(resource["disks"])].flatMap(({ diskEncryptionKey: key }) =>
    isRecord(key) && typeof key["kmsKeyName"] === "string" ? [key["kmsKeyName"]] : [],
  );
  return [...new Set(found)];
}

/** The project of a service account; an account with any other form of address belongs to the given project. */
export function ownerOf(email: string, project: string): string {
  return /@([^.]+)\.iam\.gserviceaccount\.com$/.exec(email)?.[1] ?? project;
}

/** https://cloud.google.com/iam/docs/reference/rest/v1/projects.serviceAccounts/testIamPermissions */
async function rehearseAccount(email: string, project: string, signal: AbortSignal): Promise<readonly string[]> {
  const owner = ownerOf(email, project);
  const needed = "iam.serviceAccounts.actAs";
  const path = `v1/projects/${owner}/serviceAccounts/${email}:testIamPermissions`;
  const answer = await askApi({ api: "iam", path, body: { permissions: [needed] } }, signal);
  if (answer.is === "unknown") return [`service account ${email}: ${answer.why}`];
  if (answer.is === "missing") {
    throw refused({
      code: "no-service-account",
      what: `there is no service account ${email}`,
      hint: `See the service accounts: gcloud iam service-accounts list --project ${owner}`,
    });
  }
  const granted = answer.body["permissions"];
  if (Array.isArray(granted) && granted.includes(needed)) return [];
  throw refused({
    code: "not-permitted",
    what: `the credentials in use do not permit ${needed} on ${email}`,
    current: `no permission ${needed}`,
    hint: `Ask an administrator for the role roles/iam.serviceAccountUser on ${email}`,
  });
}

/** https://cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings.cryptoKeys/get */
async function rehearseKey(key: string, signal: AbortSignal): Promise<readonly string[]> {
  const answer = await askApi({ api: "cloudkms", path: `v1/${key}` }, signal);
  if (answer.is === "unknown") return [`key ${key}: ${answer.why}`];
  const { primary } = answer.is === "found" ? answer.body : { primary: undefined };
  const state = isRecord(primary) ? primary["state"] : undefined;
  if (answer.is === "found" && state === "ENABLED") return [];
  throw refused({
    code: "no-key",
    what: answer.is === "missing" ? `there is no key ${key}` : `the key ${key} is not enabled`,
    ...(typeof state === "string" && { current: state }),
    hint: "Correct the name of the key, or enable its primary version",
  });
}
