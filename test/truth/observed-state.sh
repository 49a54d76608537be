#!/bin/sh
# Prints the state of a Debian host as its own tools report it, for users and tests to compare. Read by `sh` on stdin,
# as root; it contains no knowledge of what may have changed the host. The output has two parts: the state itself, and
# the times at which files changed, which reveal a rewrite with the same content. It omits the journal and other traces
# that every login leaves.
export LC_ALL=C
cd /
folders="/etc /srv /opt /home /root /usr/local /usr/lib/systemd/system /var/spool/cron /var/lib/apt/lists /var/lib/furrow /run/furrow"

tree() {
  for folder; do
    [ -e "$folder" ] || continue
    find "$folder" -xdev -printf '%y %m %U:%G %p -> %l\n'
    find "$folder" -xdev -type f -exec sha256sum {} +
  done | sort
}

echo '== files'
# shellcheck disable=SC2086
tree $folders
echo '== data disks'
tree /mnt /mnt/data
lsblk --noheadings --raw --output NAME,FSTYPE,LABEL,UUID,PARTLABEL,MOUNTPOINTS | sort
for device in $(lsblk --noheadings --raw --paths --nodeps --output NAME); do
  echo "$device $(wipefs --noheadings --output TYPE,UUID,OFFSET "$device" 2>/dev/null | tr '\n' ' ')"
done
findmnt --noheadings --raw --output TARGET,SOURCE,FSTYPE,OPTIONS | grep ' /dev/loop' | sort
echo '== units'
systemctl show --property=Id,LoadState,ActiveState,UnitFileState,FragmentPath,InvocationID,NeedDaemonReload \
  new steady unwanted masked truth.timer cron ssh nftables systemd-sysctl mnt-data.mount
echo '== jobs'
for user in $(cut -d: -f1 /etc/passwd); do
  [ -e "/var/spool/cron/crontabs/$user" ] && crontab -l -u "$user" | sed "s/^/$user: /"
done
echo '== packages'
dpkg-query -W -f='${Package} ${Version} ${Status}\n'
echo '== kernel'
uname -n
sysctl -n net.ipv4.ip_forward net.ipv4.conf.default.rp_filter
nft list ruleset
echo '== times'
# The time of /run/furrow is omitted: every run records there, for as long as it lasts, that it has locked the host,
# and no task changes that folder.
# shellcheck disable=SC2086
find $folders /mnt /mnt/data -xdev ! -path /run/furrow -printf '%C@ %p\n' 2>/dev/null | sort -k 2
