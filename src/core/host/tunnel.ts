/** A session of AWS Systems Manager's Session Manager, opened by the `aws` program and its session-manager-plugin. */
export interface SessionManagerTunnel {
  /** The instance's id: `i-0123456789abcdef0`, or `mi-…` for a machine outside EC2. Default: the host's address. */
  readonly instance?: string;
  /** Default: the region that the `aws` program uses. */
  readonly region?: string;
  /** A profile from the `aws` program's configuration. Default: the one that the program uses. */
  readonly profile?: string;
}

/** A tunnel of Google's Identity-Aware Proxy (IAP), opened by the `gcloud` program. */
export interface IapTunnel {
  /** The instance's name. Default: the host's address. */
  readonly instance?: string;
  /** The id of the instance's project. */
  readonly project: string;
  /** The instance's zone: `europe-west3-a`. */
  readonly zone: string;
}

/** How a cloud connects furrow to a host that has no public address; `none` means no tunnel. */
export type Tunnel =
  | { readonly sessionManager: SessionManagerTunnel; readonly iap?: never }
  | { readonly iap: IapTunnel; readonly sessionManager?: never }
  | "none";

/** A tunnel with everything that is needed to open it. */
export type OpenableTunnel =
  | ({ readonly through: "sessionManager"; readonly instance: string } & Omit<SessionManagerTunnel, "instance">)
  | ({ readonly through: "iap"; readonly instance: string } & Omit<IapTunnel, "instance">);

/**
 * The name under which known_hosts lists the host at the end of a tunnel, regardless of the port. In AWS, it is the
 * instance's id, and in Google Cloud the instance's zonal DNS name
 * (https://cloud.google.com/compute/docs/internal-dns); both are unique there.
 */
export function knownHostsAlias(tunnel: OpenableTunnel): string {
  if (tunnel.through === "sessionManager") return tunnel.instance;
  return `${tunnel.instance}.${tunnel.zone}.c.${tunnel.project}.internal`;
}
