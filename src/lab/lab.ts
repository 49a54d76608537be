/** The version of `lab.json`; raised whenever a field changes its meaning or is removed. */
export const labVersion = 1;

/** A user of every lab host, with everything that a test or a person needs to log in or to become root. */
export interface LabUser {
  readonly name: string;
  /** The login password; it is not a secret, because a lab is only reachable from its own machine. */
  readonly password: string;
  /** How this user becomes root: is already root, uses sudo with its password, or sudo without one. */
  readonly becomes: "root" | "sudo-password" | "sudo-nopasswd";
}

/** One data disk: a sparse file behind a loop device. */
export interface LabDisk {
  /** The serial that `lsblk -o SERIAL` prints inside the host; unique among all disks of the lab. */
  readonly serial: string;
  /** The stable name inside the host, `/dev/disk/by-id/virtio-<serial>`. */
  readonly path: string;
  /** The loop device, under the same name on the machine and inside the host, `/dev/loopN`. */
  readonly device: string;
  /** The sparse file, on the machine. */
  readonly file: string;
  readonly sizeBytes: number;
}

/** One throwaway host. All paths are paths of the machine the lab runs on. */
export interface LabHost {
  readonly name: string;
  /** IPv4 address on the lab's bridge. */
  readonly address: string;
  readonly port: number;
  /** The default login user. */
  readonly user: string;
  /** The host's directory in the lab: its layers, disks, console log. */
  readonly directory: string;
  /** The host's root file system, without its own mounts (/dev, /proc, /run, /tmp …). */
  readonly rootDir: string;
  /** The overlay's upper layer: everything that differs from the image. */
  readonly upperDir: string;
  readonly disks: readonly LabDisk[];
  /** The output of the host's console since its first boot. */
  readonly consoleFile: string;
}

/** A lab: its network, its keys and its hosts, as stored in `lab.json`. */
export interface Lab {
  readonly version: typeof labVersion;
  readonly name: string;
  /** `starting` until every host answers; a lab that stays in this state was left by a killed run. */
  readonly status: "starting" | "up";
  /** The directory that holds everything of this lab and nothing else. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Process that brought the lab up. */
  readonly startedBy: number;
  readonly image: "plain" | "libvirt";
  readonly bridge: string;
  /** The lab's network, `10.77.N.0/24`, and the machine's own address in it. */
  readonly subnet: string;
  readonly gateway: string;
  /** Private key that logs in to every user of every host. */
  readonly identityFile: string;
  /** Contains every host's key, so that strict checking works. */
  readonly knownHostsFile: string;
  readonly users: readonly LabUser[];
  readonly hosts: readonly LabHost[];
}
