#!/bin/sh
# Removes what RKE2's own script removes (docs.rke2.io: "Uninstall"; bundle/bin/rke2-uninstall.sh in rancher/rke2). Like
# that script, it removes itself at the end and keeps local-path-provisioner's data.
set -u
root=${INSTALL_RKE2_ROOT:-/usr/local}
for unit in rke2-server rke2-agent; do
  systemctl stop $unit
  systemctl disable $unit
  systemctl reset-failed $unit
done
rm -f "$root"/lib/systemd/system/rke2-*.service /etc/systemd/system/rke2-*.service
systemctl daemon-reload
rm -f "$root/bin/rke2"
rm -rf "$root/share/rke2" /etc/rancher/rke2 /etc/rancher/node /var/lib/rancher/rke2 /var/lib/kubelet /etc/cni
rmdir /etc/rancher /var/lib/rancher
rm -f "$root/bin/rke2-uninstall.sh"
