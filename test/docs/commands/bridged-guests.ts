import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { standInRoot } from "stand-in-node";
import { type Lab, type LabHost, runInHost } from "../../../src/lab/index.ts";

/**
 * A node with bridges that filter VLANs: its name, and the VLANs that its cluster network `vm` carries, if it has one.
 */
export interface BridgedGuest {
  readonly name: string;
  readonly vlans?: readonly number[];
}

/** The drivers of a guest, in the order in which they are loaded: virtio network card, bridge, bond. */
const modules = [
  ..."virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci failover net_failover virtio_net".split(
    " ",
  ),
  ..."llc stp bridge tls bonding".split(" "),
];

/** The first program of a guest. The guest's name and VLANs are among the kernel's arguments. */
const init = `#!/bin/busybox sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/pts; mount -t devpts -o gid=5,mode=620 devpts /dev/pts
exec >/dev/console 2>&1 </dev/console
for module in ${modules.join(" ")}; do
  options=; [ $module != bonding ] || options=max_bonds=0
  insmod /modules/$module.ko $options
done
argument() { tr ' ' '\\n' </proc/cmdline | sed -n "s/^$1=//p"; }
hostname "$(argument node)"; echo "127.0.0.1 localhost $(argument node)" >/etc/hosts
ip link set lo up; ip addr add 10.0.2.15/24 dev eth0; ip link set eth0 up; ip route add default via 10.0.2.2
if [ "$(argument vlans)" != none ]; then
  ip link add vm-bo type bond mode active-backup miimon 100
  ip link set eth1 down; ip link set eth1 master vm-bo; ip link set vm-bo up
  ip link add vm-br type bridge vlan_filtering 1; ip link set vm-bo master vm-br; ip link set vm-br up
  for vlan in $(argument vlans | tr , ' '); do bridge vlan add dev vm-bo vid $vlan; done
fi
echo "guest: $(argument node) starts"
exec dropbear -F -E -w -r /etc/host-key -p 22
`;

/** Downloads Debian's kernel on a lab host, and creates the files from which the guests boot. */
const build = `cd "$1"
mkdir kernel root/modules
apt-get -qq update
name=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \\(linux-image-[0-9].*\\)/\\1/p')
(cd kernel; apt-get -qq download "$name"; dpkg-deb --extract ./*.deb .; rm ./*.deb)
for module in ${modules.join(" ")}; do
  file=$(find kernel -name "$module.ko"); [ -z "$file" ] || cp "$file" root/modules/
done
for program in ip bridge; do
  path=$(readlink -f "$(command -v $program)"); rm -f root/usr/sbin/$program root/usr/bin/$program; cp "$path" root/usr/sbin/
  ldd "$path" | sed -n 's/.* => \\(\\/[^ ]*\\) .*/\\1/p'
done | sort -u | while read -r library; do cp -L "$library" root/usr/lib/x86_64-linux-gnu/; done
chroot root dropbearkey -t ed25519 -f /etc/host-key | grep '^ssh-ed25519'
install -d -o 1000 -g 1000 -m 700 root/home/rancher root/home/rancher/.ssh
install -o 1000 -g 1000 -m 600 /root/.ssh/authorized_keys root/home/rancher/.ssh/authorized_keys
chmod 755 root root/init
(cd root; find . | usr/bin/busybox cpio -o -H newc 2>/dev/null | gzip -1) >initrd
mv kernel/boot/vmlinuz-* linux`;

const start = `cd "$1"
exec setsid qemu-system-x86_64 -accel kvm -accel tcg -m 320 -display none -no-reboot -daemonize -pidfile "$2.pid" \
  -serial "file:$2.log" -kernel linux -initrd initrd -append "console=ttyS0 quiet node=$2 vlans=$3" \
  -netdev "user,id=a,hostfwd=tcp::$4-:22" -device virtio-net-pci,netdev=a,romfile= \
  -netdev user,id=b,restrict=on -device virtio-net-pci,netdev=b,romfile=`;

const folder = "/var/lib/bridged-guests";

/**
 * Starts guests on a lab host, because the host's own kernel may have neither bonds nor VLANs on bridges. The guests
 * use Debian's kernel, the stand-in node's programs, and the lab host's `ip` and `bridge`. The first guest is
 * reachable at port 2201 of the host.
 *
 * @returns their lines for a known_hosts file
 */
export async function startGuests(host: LabHost, guests: readonly BridgedGuest[]): Promise<string> {
  const root = join(host.rootDir, folder, "root");
  await mkdir(root, { recursive: true });
  await cp(await standInRoot(), root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  await writeFile(join(root, "init"), init);
  const key = (await runInHost(host, ["sh", "-ec", build, "sh", folder])).stdout
    .trim()
    .split(" ")
    .slice(0, 2)
    .join(" ");
  for (const [at, { name, vlans }] of guests.entries())
    await runInHost(host, ["sh", "-ec", start, "sh", folder, name, vlans?.join(",") ?? "none", `${2201 + at}`]);
  return guests.map((_, at) => `[${host.address}]:${2201 + at} ${key}\n`).join("");
}

/** Waits until sshd answers in each guest. */
export async function guestsAnswer(host: LabHost, guests: readonly BridgedGuest[]): Promise<void> {
  for (const [at, { name }] of guests.entries())
    for (let left = 120; !(await greets(host.address, 2201 + at)); left -= 1) {
      if (left === 0) {
        const said = await readFile(join(host.rootDir, folder, `${name}.log`), "utf8");
        throw new Error(`the guest ${name} does not answer: ${said}`);
      }
      await sleep(1000);
    }
}

/** True if an SSH server sends its banner at this port; QEMU itself accepts every connection. */
function greets(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 5000 });
    const end = (greeted: boolean) => (): void => {
      socket.destroy();
      resolve(greeted);
    };
    socket.once("data", end(true)).once("error", end(false)).once("close", end(false)).once("timeout", end(false));
  });
}

/** Runs a script in a guest as root, with OpenSSH. Guests are numbered from 0. */
export async function inGuest(lab: Lab, host: LabHost, number: number, script: string): Promise<void> {
  const options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "BatchMode=yes"];
  const to = ["-i", lab.identityFile, "-p", `${2201 + number}`, `rancher@${host.address}`];
  await promisify(execFile)("ssh", [
    ...options.flatMap((one) => ["-o", one]),
    ...to,
    `sudo sh -ec 'PATH=/usr/sbin:/usr/bin; ${script}'`,
  ]);
}
