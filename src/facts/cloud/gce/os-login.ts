import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { CallStep } from "../../../core/host/step.ts";
import type { GcePlace } from "./values.ts";

/** How the metadata of an instance, together with that of its project, configures OS Login. */
export interface GceOsLogin {
  /** False if the instance does not exist. */
  readonly instance: boolean;
  /**
   * `on`, `off`, or `unknown` if the instance's metadata does not set it and the project's metadata cannot be read. The
   * instance's metadata takes precedence over the project's.
   */
  readonly use: "on" | "off" | "unknown";
  /** The metadata that decides `use`; `default` if neither sets it. */
  readonly by: "instance" | "project" | "default";
  /** Whether people need a second factor at each login. */
  readonly secondFactor: boolean;
  /** Why the project's metadata cannot be read; empty if it can. */
  readonly why: string;
}

/** Whether the organization's policy requires OS Login. */
export interface GceOsLoginPolicy {
  readonly required: "yes" | "no" | "unknown";
  /** Why this is unknown; empty if it is known. */
  readonly why: string;
}

/** An account's OS Login profile, and a key in it. */
export interface GceLoginProfile {
  /** The e-mail address of the account; empty if the credentials do not include it. */
  readonly account: string;
  /** The login name on Linux; empty if the account has none yet. */
  readonly user: string;
  /** Whether the profile has the key, and the key has not expired. */
  readonly registered: boolean;
  /** Whether the key stays valid for at least the requested number of hours. */
  readonly lasts: boolean;
  /** The time at which the key expires, as `2030-01-31T12:00:00.000Z`; empty if it never does, or is not registered. */
  readonly expires: string;
}

/**
 * The access to an instance that an account's roles grant; known only for the account that the credentials belong to.
 */
export interface GceLoginRole {
  /** `admin`: login and sudo; `user`: login only. */
  readonly may: "admin" | "user" | "nothing" | "unknown";
  /** Why this is unknown; empty if it is known, or if the credentials belong to another account. */
  readonly why: string;
}

/** The account whose profile is requested; empty for the account that the credentials belong to. */
interface Account {
  readonly account: string;
}

/** How the metadata configures OS Login for an instance that need not exist yet. */
export function gceOsLoginOn(place: Required<Pick<GcePlace, "project" | "zone" | "name">>): ControllerFact<GceOsLogin> {
  const { project, zone, name } = place;
  return { driver: "gce", request: { osLogin: "metadata", project, zone, name } };
}

/** Whether the organization's policy requires OS Login in a project. */
export function gceOsLoginPolicy(project: string): ControllerFact<GceOsLoginPolicy> {
  return { driver: "gce", request: { osLogin: "policy", project } };
}

/** The part of an account's profile that concerns a public key, which should stay valid for `leastHours`. */
export function gceLoginProfile(
  asked: Account & { readonly key: string; readonly leastHours: number },
): ControllerFact<GceLoginProfile> {
  const { account, key, leastHours } = asked;
  return { driver: "gce", request: { osLogin: "profile", account, key, leastHours } };
}

/** Asks which access an account has to an instance, which need not exist yet. */
export function gceLoginRole(
  asked: Account & Required<Pick<GcePlace, "project" | "zone" | "name">>,
): ControllerFact<GceLoginRole> {
  const { account, project, zone, name } = asked;
  return { driver: "gce", request: { osLogin: "role", account, project, zone, name } };
}

/** Registers a public key in an account's profile, for a number of hours; an earlier expiry is replaced. */
export function registerLoginKey(
  asked: Account & { readonly project: string; readonly key: string; readonly hours: number },
  label: string,
): CallStep {
  const { account, project, key, hours } = asked;
  return { step: "call", driver: "gce", request: { osLogin: "register", account, project, key, hours }, label };
}

/** Removes a public key from an account's profile. */
export function removeLoginKey(asked: Account & { readonly key: string }, label: string): CallStep {
  const { account, key } = asked;
  return { step: "call", driver: "gce", request: { osLogin: "remove", account, key }, label };
}
