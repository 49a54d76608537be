import type { Deployment } from "../playbooks/deployment.ts";

/** Patterns for text that differs between hosts: names, addresses and times. */
const apart: readonly string[] = [
  "/etc/hostname",
  "/etc/hosts",
  "/etc/machine-id",
  "/etc/resolv.conf",
  "/etc/ld.so.cache",
  "/etc/ssh/ssh_host_*",
  "/etc/systemd/network/10-host0.network",
];

/**
 * Prints the state of a deployed host, without values that change by themselves. Each cluster creates its own
 * certificate authority, whose certificate also salts the hashes in a node's fingerprint. `$1`: the host's name; `$2`:
 * its address.
 */
const script = `
mask() { sed -e "s/$2/ADDRESS/g; s/$1/HOST/g; s/$uuid/UUID/g; s/ssh-ed25519 .*/KEY/; s/^  .ca.: .*/CA/; s/scrypt:[0-9a-f]*/HASH/; /^# (- installed on /d" -e "/<uuid>/d; /<mac address='52:54:00:\\(..:..:..\\)'\\/>$/{/52:54:00:68:76/!d}"; }
uuid=$(findmnt -no UUID /mnt/datadisk1)
keep="${apart.map((path) => `! -path ${path}`).join(" ")}"
set -f
echo "# files"
find /etc /srv /usr/local /var/spool/cron -xdev $keep \\( -type f -o -type l -o -type d \\) -printf '%y %m %u:%g %p %l\\n' | LC_ALL=C sort
find /var/lib/furrow -printf '%y %m %u:%g %p\\n' | LC_ALL=C sort
find /mnt -printf '%y %m %u:%g %p\\n' | grep -v /planted | LC_ALL=C sort
echo "# content"
find /etc /srv /usr/local /var/spool/cron -xdev $keep -type f | LC_ALL=C sort | while read -r file; do
  echo "$(mask "$1" "$2" <"$file" | sha256sum | cut -c 1-16) $file"
done
echo "# text"
for file in /etc/fstab /etc/libvirt/qemu/*.xml /etc/libvirt/qemu/networks/vlan1.xml /var/spool/cron/crontabs/root; do
  set +f; for one in $file; do echo "== $one"; mask "$1" "$2" <"$one"; done; set -f
done
echo "# packages"
dpkg-query -W -f '\${Package} \${Version} \${db:Status-Status}\\n'
echo "# units"
for unit in libvirtd nginx cron harvester-expose-443 harvester-expose-6443; do
  echo "$unit $(systemctl show -P ActiveState $unit) $(systemctl show -P UnitFileState $unit) $(systemctl show -P NeedDaemonReload $unit)"
done
systemctl list-units --failed --plain --no-legend
echo "# libvirt"
virsh -q list --all --name; virsh -q list --autostart --name; virsh -q net-list --all
echo "# disk"
findmnt -no FSTYPE,OPTIONS /mnt/datadisk1
lsblk -rno TYPE,FSTYPE,PTTYPE,PARTLABEL "$(findmnt -no SOURCE /mnt/datadisk1)"
echo "# what the node has fetched; the host itself asks in every run"
awk '$1 != "192.168.130.1" { print $1, $2, $4 }' /var/log/nginx/harvester.log
echo "# left behind"
ls -A /run/furrow 2>/dev/null | grep -vxE 'units|taken|disk-loop[0-9]+.lock' || true
`;

/** The state of a deployed host, line by line, with its own names and numbers masked. */
export async function stateOf(deployment: Deployment): Promise<string[]> {
  const { name, address } = deployment.host;
  const text = await deployment.inHost(`set -- '${name}' '${address}'\n${script}`);
  return [...text.split("\n"), ...(await deployment.said("harvester-1"))];
}
