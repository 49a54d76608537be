import { artifactNames } from "../../roles/cluster/releases.ts";
import { artifactText, version } from "./harvester-host.ts";

/** Mount point of the data disk, which is the same for the original scripts and for furrow. */
export const mountPoint = "/mnt/datadisk1";

/** The node's virtual machine, as the original scripts name it. */
export const domain = "harvester-node-1";

/**
 * Sets up a host as the shell scripts of rancher/harvester-cloud leave it: a disk mounted by its device name, boot
 * files that everyone can read, a network whose range contains the virtual address, a machine created by virt-install,
 * one unit for two ports, and a watchdog run by cron. The scripts were run three times, as people do after a failure.
 *
 * @param device the device node of the data disk, such as `/dev/sdb`
 */
export function originalHost(device: string): string {
  const partition = `${device}${/\d$/.test(device) ? "p" : ""}1`;
  const artifacts = Object.values(artifactNames(version))
    .map((name) => `printf '%s' '${artifactText(name)}' >/srv/www/harvester/${name}`)
    .join("\n");
  return `set -e
exec 2>&1
{ apt-get -q update && apt-get -q -y install socat; } >/tmp/socat.log 2>&1
mkdir -p /srv/www/harvester
${artifacts}
printf '#!ipxe\\nsleep 10000\\n' >/srv/www/harvester/default.ipxe
printf 'token: SecretToken.123\\nos:\\n  hostname: harvester-1\\n  password: SecretPassword.123\\n' >/srv/www/harvester/create_cloud_config.yaml
cat >/etc/nginx/nginx.conf <<'CONF'
user www-data;
events { worker_connections 1024; use epoll; }
http {
  access_log /var/log/nginx/access.log;
  sendfile on;
  server { listen 192.168.122.1:80 default_server; server_name _; root /srv/www/harvester; autoindex on; }
}
CONF
parted --script ${device} mklabel gpt
parted --script ${device} mkpart primary ext4 0% 100%
udevadm settle
mkfs.ext4 -q ${partition}
mkdir -p ${mountPoint}
mount ${partition} ${mountPoint}
echo precious >${mountPoint}/kept
cat >/srv/www/harvester/vlan1.xml <<'XML'
<network>
  <name>vlan1</name>
  <bridge name='virbr1'/>
  <forward mode='nat'/>
  <ip address='192.168.122.1' netmask='255.255.255.0'>
    <dhcp>
      <range start='192.168.122.2' end='192.168.122.254'/>
      <bootp file='http://192.168.122.1/default.ipxe'/>
    </dhcp>
  </ip>
</network>
XML
virsh net-define /srv/www/harvester/vlan1.xml
virsh net-start vlan1
virsh net-autostart vlan1
chown -R nobody:nogroup /srv/www
systemctl enable nginx
systemctl restart nginx
virt-install --name ${domain} --memory 256 --vcpus 1 --virt-type qemu --autostart \\
  --disk size=1,path=${mountPoint}/harvester-data.qcow2,bus=virtio,format=qcow2 --check disk_size=off --os-variant generic \\
  --network bridge=virbr1,model=virtio --graphics vnc,listen=0.0.0.0,password=yourpass,port=5901 \\
  --console pty,target.type=serial --pxe --noautoconsole
printf '#!/bin/sh\\nvirsh list --all | awk "\\$3==\\"shut\\"{print \\$2}" | xargs -r -n 1 virsh start\\n' >/usr/local/bin/restart_harvester_vms_script.sh
chmod 755 /usr/local/bin/restart_harvester_vms_script.sh
cat >/etc/systemd/system/socat-proxy.service <<'UNIT'
[Unit]
Description=Socat proxy
[Service]
ExecStart=/bin/bash -c 'socat TCP-LISTEN:443,fork TCP:192.168.122.120:443 & socat TCP-LISTEN:6443,fork TCP:192.168.122.120:6443 & wait'
Restart=always
User=root
[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable --now socat-proxy.service
for run in 1 2 3; do
  echo "${partition} ${mountPoint} ext4 defaults 0 0" >>/etc/fstab
  (crontab -l 2>/dev/null; echo "*/2 * * * * /usr/local/bin/restart_harvester_vms_script.sh >> /var/log/restart_harvester_vms_script.log 2>&1") | crontab -
done
`;
}
