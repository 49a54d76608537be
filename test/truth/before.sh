#!/bin/sh
# Prepares a fresh lab host on which a playbook finds objects that are correct, wrong, stale or missing. Read by `sh`
# on stdin. Twin hosts must end up equal, so no command here writes the time, as crontab(1) would.
set -eu
printf 'right\n' >/etc/truth-right
chmod 600 /etc/truth-right
printf 'mode\n' >/etc/truth-mode
chmod 644 /etc/truth-mode
printf 'what it was\n' >/etc/truth-text
ln -s truth-right /etc/truth-link
printf 'port=80\ndebug=1\nlast=1\n' >/etc/truth.conf
mkdir -p /srv/stale/deep /srv/tree-there
: >/srv/stale/deep/file
: >/srv/tree-there/extra
groupadd oldgroup
useradd --create-home olduser
useradd --create-home --shell /bin/sh ben
jobs=/var/spool/cron/crontabs/root
printf '# furrow: there\n1 2 * * * true there\n3 4 * * * true adopted\n7 7 * * * true by hand\n# furrow: gone\n@weekly true gone\n' >$jobs
chmod 600 $jobs
chgrp crontab $jobs
for unit in steady unwanted masked; do
  printf '[Service]\nExecStart=/bin/sleep 100000\n[Install]\nWantedBy=multi-user.target\n' >"/etc/systemd/system/$unit.service"
done
printf 'S=1\n' >/etc/steady.env
mv /etc/systemd/system/masked.service /usr/lib/systemd/system/
systemctl daemon-reload
systemctl enable --quiet unwanted
systemctl start steady unwanted masked
# The second data disk already contains data.
mkfs.ext4 -q -L somebody /dev/disk/by-id/virtio-furrow-"$(uname -n)"-2
