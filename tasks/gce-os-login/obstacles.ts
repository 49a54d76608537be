import { refuse, type Refusal } from "../../src/authoring.ts";
import type { GceLoginProfile, GceLoginRole, GceOsLogin, GceOsLoginPolicy } from "../../src/facts/catalogue.ts";
import type { Params } from "./params.ts";

/** Whether an instance uses OS Login once the tasks have run; undefined if that is not known. */
export function usesOsLogin(p: Params, login: GceOsLogin, policy: GceOsLoginPolicy): boolean | undefined {
  if (p.enabled !== undefined) return p.enabled;
  // The policy applies only to new instances (https://cloud.google.com/compute/docs/oslogin/manage-oslogin-in-an-org).
  if (!login.instance && policy.required === "yes") return true;
  return login.use === "unknown" ? undefined : login.use === "on";
}

/**
 * Refuses `enabled: false` if the organization's policy requires OS Login. Also refuses if furrow cannot find out
 * whether the instance uses OS Login.
 */
export function obstacleToUse(p: Params, login: GceOsLogin, policy: GceOsLoginPolicy): Refusal | undefined {
  if (p.enabled === false && policy.required === "yes") {
    return refuse({
      code: "os-login-required",
      message: `the organization's policy requires OS Login in ${p.project}`,
      current: "constraints/compute.requireOsLogin",
      expected: "enabled: true, or no value",
      hint: "Leave enabled out, or ask an administrator of the organization for an exception",
    });
  }
  if (usesOsLogin(p, login, policy) !== undefined) return undefined;
  return refuse({
    code: "os-login-unknown",
    message: `the metadata of ${p.project}, which may turn on OS Login, cannot be read`,
    current: login.why,
    hint: "Allow compute.projects.get in the project, or set enabled to say whether the instance uses OS Login",
  });
}

/**
 * Refuses if no account is given and the credentials do not show which account they belong to; undefined if the account
 * is known.
 */
export function obstacleOfAccount({ account }: GceLoginProfile): Refusal | undefined {
  if (account !== "") return undefined;
  return refuse({
    code: "no-account",
    message: "the credentials do not say which account they belong to, so the account that logs in is unknown",
    hint: "Name the account: the e-mail address of a person or of a service account",
  });
}

/** Refuses an account that cannot log in with only a key; undefined if it can, or if that is not known. */
export function obstacleToLogin(
  p: Params,
  login: GceOsLogin,
  profile: GceLoginProfile,
  role: GceLoginRole,
): Refusal | undefined {
  const { account } = profile;
  const unnamed = obstacleOfAccount(profile);
  if (unnamed !== undefined) return unnamed;
  if (login.secondFactor && !account.endsWith(".gserviceaccount.com")) {
    return refuse({
      code: "second-factor",
      message: `OS Login asks people for a second factor on ${p.name}, which furrow cannot provide for ${account}`,
      current: "enable-oslogin-2fa is TRUE in the metadata",
      hint: 'Use a service account, which does not need one; or give the instance the metadata "enable-oslogin-2fa": "FALSE"',
    });
  }
  if (role.may !== "nothing") return undefined;
  return refuse({
    code: "no-login-role",
    message: `${account} is not allowed to log in to ${p.name} with OS Login`,
    current: "no permission compute.instances.osLogin",
    expected: "compute.instances.osAdminLogin, which includes sudo",
    hint: `Ask an administrator for the role roles/compute.osAdminLogin for ${account} in ${p.project}, or on the instance`,
  });
}
