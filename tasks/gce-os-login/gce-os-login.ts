import { knownAfterApply, peek, task } from "../../src/authoring.ts";
import {
  gce,
  gceLoginProfile,
  gceLoginRole,
  gceOsLoginOn,
  gceOsLoginPolicy,
  registerLoginKey,
  removeLoginKey,
} from "../../src/facts/catalogue.ts";
import { obstacleOfAccount, obstacleToLogin, obstacleToUse, usesOsLogin } from "./obstacles.ts";
import { params, type Params } from "./params.ts";

/**
 * Registers a public key in an account's OS Login profile if an instance uses OS Login, and outputs the login name and
 * the metadata that the instance needs.
 */
export const gceOsLogin = task({
  name: "gceOsLogin",
  summary: "Register an SSH key with OS Login if a Compute Engine instance uses OS Login, or remove the key",
  params,
  service: "gce",
  examples: [
    {
      name: "harvester",
      project: "harvester-lab-1234",
      zone: "europe-west3-a",
      key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample",
    },
  ],
  title: (p) => `gceOsLogin ${p.name}`,
  disturbs: () => [gce.all],
})
  .facts(({ project, zone, name }) => ({
    login: gceOsLoginOn({ project, zone, name }),
    policy: gceOsLoginPolicy(project),
  }))
  .facts((p, { login, policy }) => {
    const { project, zone, name, key, account = "", renewHours: leastHours } = p;
    const isAsked = p.state === "absent" || usesOsLogin(p, login, policy) === true;
    return {
      profiles: isAsked ? [gceLoginProfile({ account, key, leastHours })] : [],
      roles: isAsked && p.state === "present" ? [gceLoginRole({ account, project, zone, name })] : [],
    };
  })
  .want((p, { login, policy, profiles, roles }) => {
    const [profile] = profiles;
    if (p.state === "absent") {
      return profile === undefined ? {} : (obstacleOfAccount(profile) ?? { profiles: [{ registered: false }] });
    }
    const refusal = obstacleToUse(p, login, policy);
    const [role] = roles;
    if (refusal !== undefined || profile === undefined || role === undefined) return refusal ?? {};
    const obstacle = obstacleToLogin(p, login, profile, role);
    if (obstacle !== undefined) return obstacle;
    const isDue = !profile.registered || !profile.lasts;
    const user = profile.user === "" ? knownAfterApply : profile.user;
    return { profiles: [{ registered: true, lasts: true, user, ...(isDue && { expires: knownAfterApply }) }] };
  })
  .steps((p, { change, now }) => {
    const [profile] = now.profiles;
    if (change.profiles === undefined || profile === undefined) return [];
    const { account } = profile;
    const { project, key, validHours: hours } = p;
    if (p.state === "absent") return [removeLoginKey({ account, key }, `remove the SSH key of ${account}`)];
    const label = `register the SSH key of ${account} with OS Login for ${sayHours(hours)}`;
    return [registerLoginKey({ account, project, key, hours }, label)];
  })
  .outputs((p, { login, policy, profiles }) => {
    const isOn = p.state === "present" && usesOsLogin(p, login, policy) === true;
    const [profile] = profiles;
    // The name is unknown in check mode if the account has none yet; the rest is known.
    const user = isOn && profile !== undefined ? (peek(profile, "user") as string) : "";
    return { on: isOn, user, metadata: metadataFor(p, isOn && login.use !== "on") };
  })
  .notes((p, { policy, profiles, roles, login }) => {
    if (p.state === "absent") return [];
    const [profile] = profiles;
    const [role] = roles;
    // The expiry time is unknown in check mode if the key would be registered.
    const expires = profile === undefined ? "" : peek(profile, "expires");
    return [
      policy.required === "unknown" && p.enabled !== true && login.use !== "on"
        ? `not known in advance: whether the organization requires OS Login (${policy.why})`
        : "",
      role !== undefined && role.may === "user"
        ? "the account can log in, but cannot use sudo, which needs the role roles/compute.osAdminLogin"
        : "",
      role !== undefined && role.may === "unknown" && role.why !== ""
        ? `not known in advance: whether the account is allowed to log in (${role.why})`
        : "",
      typeof expires === "string" && expires !== "" ? `the key expires at ${expires}` : "",
    ].filter((note) => note !== "");
  });

/** The metadata that an instance still needs for the desired state; empty if nothing is missing. */
function metadataFor({ state, enabled }: Params, isNew: boolean): Record<string, string> {
  if (state === "absent") return {};
  if (enabled === false) return { "enable-oslogin": "FALSE" };
  return isNew || enabled === true ? { "enable-oslogin": "TRUE" } : {};
}

function sayHours(hours: number): string {
  if (hours % 24 === 0) return hours === 24 ? "a day" : `${hours / 24} days`;
  return hours === 1 ? "an hour" : `${hours} hours`;
}
