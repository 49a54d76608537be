/** A login profile (https://cloud.google.com/compute/docs/oslogin/rest/v1/users/getLoginProfile, without its name). */
export interface LoginSetting {
  readonly posixAccounts?: readonly object[];
  readonly sshPublicKeys?: Readonly<Record<string, object>>;
}

/** The settings of the fake cloud. */
export interface CloudSettings {
  /** The existing zones. */
  readonly zones: readonly string[];
  /** Zones without capacity, in which the operation that creates an instance fails. */
  readonly full: Set<string>;
  /** The number of processors that may be in use in a region. */
  quota: number;
  /** The host keys that guests report, as `ssh-ed25519 AAAA`; empty for guests without an agent. */
  hostKeys: readonly string[];
  /** The permissions that the credentials do not have in the project. */
  readonly denied: Set<string>;
  /** The permissions that the credentials have on individual resources, as `PERMISSION on NAME`. */
  readonly granted: Set<string>;
  /** The conditional role bindings: the resource that has the binding (`organizations/1`), and the role. */
  conditional: readonly (readonly [where: string, role: string])[];
  /** The rules of the organization's policies, by constraint. */
  policies: Readonly<Record<string, readonly object[]>>;
  /** The limits of quotas, by metric. */
  limits: Readonly<Record<string, number>>;
  /** The e-mail addresses of the service accounts. */
  readonly accounts: Set<string>;
  /** What OS Login returns for each account, by e-mail address; registering a key adds to it. */
  logins: Readonly<Record<string, LoginSetting>>;
  /** The account of the credentials, as the token endpoint returns it; empty if it returns none. */
  self: string;
  /** The project's metadata, which instances inherit. */
  projectMetadata: Readonly<Record<string, string>>;
  /** The firewall policies that apply to every network, in the form of networks.getEffectiveFirewalls. */
  firewallPolicies: readonly object[];
  /** The state of the primary version of each key in Cloud KMS. */
  keys: Readonly<Record<string, string>>;
  /** The APIs besides Compute Engine that the project has not enabled. */
  readonly closed: Set<string>;
  /**
   * After a change, how many requests for the list of subnetworks still return the list as it was before that change.
   */
  listLag: number;
  /**
   * Returns external addresses. By default, these addresses belong to this machine, because a test must never connect
   * to an address outside this machine.
   */
  addressOf: (number: number) => string;
}
