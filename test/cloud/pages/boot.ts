/** What a cloud's own agent creates at the first boot: a login with its key, and the stable name of a disk. */
export interface Boot {
  readonly user: string;
  readonly key: string;
  /** The stable name: `/dev/disk/by-id/…`. */
  readonly disk: string;
}

/**
 * A script for a lab host that does the work of a cloud's agent at the first boot. `path` is the disk's actual path.
 */
export function bootScript({ user, key, disk }: Boot, path: string): string {
  return `set -e
    id -u ${user} >/dev/null 2>&1 || useradd --create-home --shell /bin/bash ${user}
    home=$(getent passwd ${user} | cut -d: -f6)
    mkdir -p "$home/.ssh" && echo '${key}' >> "$home/.ssh/authorized_keys"
    chown -R ${user}: "$home/.ssh" && chmod -R go= "$home/.ssh"
    echo '${user} ALL=(ALL:ALL) NOPASSWD: ALL' > /etc/sudoers.d/${user}
    mkdir -p "$(dirname ${disk})" && ln -sfn ${path} ${disk}`;
}
