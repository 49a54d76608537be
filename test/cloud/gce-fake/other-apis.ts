import { osLogin } from "./os-login.ts";
import { project } from "./place.ts";
import type { CloudSettings } from "./settings.ts";
import { ApiFailure } from "./state.ts";

/** Google's APIs besides Compute Engine that the fake answers, each below its own path. */
const apis = ["cloudkms", "cloudresourcemanager", "iam", "oauth2", "orgpolicy", "oslogin"] as const;

/** The environment variables with which gcloud, and furrow, find the other APIs. */
export function otherApis(base: string): Record<string, string> {
  return Object.fromEntries(
    apis.map((api) => [`CLOUDSDK_API_ENDPOINT_OVERRIDES_${api.toUpperCase()}`, `${base}/${api}/`]),
  );
}

/**
 * Answers a call to one of these APIs. Returns undefined if the path belongs to none of them. Throws ApiFailure if the
 * API would refuse it.
 */
export function answerOther(
  settings: CloudSettings,
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): object | undefined {
  const [, api = "", rest = ""] = /^\/(\w+)\/(.*)$/.exec(path) ?? [];
  if (!apis.some((one) => one === api)) return undefined;
  if (settings.closed.has(api)) {
    throw new ApiFailure(
      403,
      "SERVICE_DISABLED",
      `The API ${api}.googleapis.com has not been used in project 1 before`,
    );
  }
  if (api === "cloudresourcemanager") {
    return ancestry(rest) ?? bindings(settings, rest) ?? permissions(settings, method, rest, body);
  }
  if (api === "orgpolicy") return policy(settings, rest);
  if (api === "oslogin") return osLogin(settings, method, rest, body);
  if (api === "oauth2") return tokenInfo(settings, method, rest);
  return api === "iam" ? account(settings, method, rest, body) : key(settings, rest);
}

const asked = (body: Readonly<Record<string, unknown>>): string[] => body["permissions"] as string[];

/**
 * https://cloud.google.com/resource-manager/reference/rest/v1/projects/testIamPermissions: an empty list is omitted
 * from the response.
 */
function permissions(
  { denied }: CloudSettings,
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): object {
  const named = /^v1\/projects\/([^/:]+):testIamPermissions$/.exec(path)?.[1];
  if (method !== "POST" || named !== project)
    throw new ApiFailure(403, "forbidden", "The caller does not have permission");
  const granted = asked(body).filter((one) => !denied.has(one));
  return granted.length === 0 ? {} : { permissions: granted };
}

/**
 * https://cloud.google.com/resource-manager/reference/rest/v1/projects/getAncestry: the project is in one organization.
 */
function ancestry(path: string): object | undefined {
  if (path !== `v1/projects/${project}:getAncestry`) return undefined;
  const ids = [
    { type: "project", id: project },
    { type: "organization", id: "1" },
  ];
  return { ancestor: ids.map((resourceId) => ({ resourceId })) };
}

/** https://cloud.google.com/resource-manager/reference/rest/v3/projects/getIamPolicy */
function bindings({ conditional, denied }: CloudSettings, path: string): object | undefined {
  const place = /^v3\/(.+):getIamPolicy$/.exec(path)?.[1];
  if (place === undefined) return undefined;
  if (denied.has("resourcemanager.projects.getIamPolicy")) {
    throw new ApiFailure(403, "forbidden", "The caller does not have permission");
  }
  const members = ["user:me@example.com"];
  const condition = { title: "lab", expression: 'resource.name.endsWith("/lab")' };
  const own = conditional.filter(([where]) => where === place);
  return {
    version: 3,
    bindings: [{ role: "roles/viewer", members }, ...own.map(([, role]) => ({ role, members, condition }))],
  };
}

/** https://cloud.google.com/resource-manager/docs/reference/orgpolicy/rest/v2/projects.policies/getEffectivePolicy */
function policy({ policies }: CloudSettings, path: string): object {
  const name = /^v2\/(projects\/[^/]+\/policies\/([\w.]+)):getEffectivePolicy$/.exec(path);
  if (name === null) throw new ApiFailure(404, "notFound", `Not Found: ${path}`);
  return { name: name[1], spec: { rules: policies[name[2] ?? ""] ?? [] } };
}

/** https://cloud.google.com/iam/docs/reference/rest/v1/projects.serviceAccounts/testIamPermissions */
function account(
  settings: CloudSettings,
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): object {
  const email = /^v1\/projects\/[^/]+\/serviceAccounts\/([^/:]+):testIamPermissions$/.exec(path)?.[1] ?? "";
  if (method !== "POST" || !settings.accounts.has(email)) {
    throw new ApiFailure(404, "notFound", `Unknown service account`);
  }
  const granted = asked(body).filter((one) => !settings.denied.has(one));
  return granted.length === 0 ? {} : { permissions: granted };
}

/** https://cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings.cryptoKeys/get */
function key({ keys }: CloudSettings, path: string): object {
  const name = path.replace(/^v1\//, "");
  const state = keys[name];
  if (state === undefined) throw new ApiFailure(404, "NOT_FOUND", `CryptoKey ${name} not found.`);
  return { name, purpose: "ENCRYPT_DECRYPT", primary: { name: `${name}/cryptoKeyVersions/1`, state } };
}

/** The call that getTokenInfo in google-auth-library makes; the endpoint does not accept federated tokens. */
function tokenInfo({ self }: CloudSettings, method: string, path: string): object {
  if (method !== "POST" || path !== "tokeninfo") throw new ApiFailure(404, "notFound", `Not Found: ${path}`);
  if (self === "") throw new ApiFailure(400, "invalid_token", "Invalid Value");
  return { email: self, email_verified: "true", scope: "https://www.googleapis.com/auth/cloud-platform" };
}
