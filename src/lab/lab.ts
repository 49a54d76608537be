/** The version of the format of `lab.json`; it increases whenever a field is removed or its meaning changes. */
export const labVersion = 1;

/** A user who exists on every lab host, with everything that a test or a person needs to log in or to become root. */
export interface LabUser {
  readonly name: string;
  /** The login password; it need not be secret, because a lab can only be reached from the machine it runs on. */
  readonly password: string;
  /**
   * How this user becomes root: the user is root already, uses sudo with the password, or uses sudo without a password.
   */
  readonly becomes: "root" | "sudo-password" | "sudo-nopasswd";
}

/** One data disk: a sparse file behind a loop device. */
export interface LabDisk {
  /** The serial number that `lsblk -o SERIAL` prints inside the host; unique among all disks in the lab. */
  readonly serial: string;
  /** The stable name inside the host, `/dev/disk/by-id/virtio-<serial>`. */
  readonly path: string;
  /** The loop device, `/dev/loopN`; it has the same name on the machine and inside the host. */
  readonly device: string;
  /** The sparse file on the machine. */
  readonly file: string;
  readonly sizeBytes: number;
}

/** One throwaway host. All paths are on the machine that the lab runs on. */
export interface LabHost {
  readonly name: string;
  /** The IPv4 address on the lab's bridge. */
  readonly address: string;
  readonly port: number;
  /** The default login user. */
  readonly user: string;
  /** The host's directory in the lab: its layers, disks and console log. */
  readonly directory: string;
  /** The host's root file system, without its own mounts (/dev, /proc, /run, /tmp …). */
  readonly rootDir: string;
  /** The overlay's upper layer: everything that differs from the image. */
  readonly upperDir: string;
  readonly disks: readonly LabDisk[];
  /** The file with the host's console output since its first boot. */
  readonly consoleFile: string;
}

/** A lab: its network, its keys and its hosts, as stored in `lab.json`. */
export interface Lab {
  readonly version: typeof labVersion;
  readonly name: string;
  /** `starting` until every host answers; a lab that stays in this state was left behind by a killed run. */
  readonly status: "starting" | "up";
  /** The directory that contains everything this lab owns, and nothing else. */
  readonly directory: string;
  /** The time at which the lab was started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The id of the process that started the lab. */
  readonly startedBy: number;
  readonly image: "plain" | "libvirt";
  readonly bridge: string;
  /** The lab's network, `10.77.N.0/24`, and the machine's own address in it. */
  readonly subnet: string;
  readonly gateway: string;
  /** The private key that gives access to every user on every host. */
  readonly identityFile: string;
  /** The known_hosts file with every host's key, so strict checking works. */
  readonly knownHostsFile: string;
  readonly users: readonly LabUser[];
  readonly hosts: readonly LabHost[];
}
