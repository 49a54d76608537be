import { afterAll, beforeAll, expect, test } from "vitest";
import { type Lab, labDown, labUp, runInHost } from "../../src/lab/index.ts";

const name = `libvirt-${process.pid}`;
let lab: Lab;

beforeAll(async () => {
  lab = await labUp({ hosts: 1, name, libvirt: true });
});

afterAll(() => labDown({ name }));

async function inside(script: string): Promise<string> {
  const [host] = lab.hosts;
  if (host === undefined) throw new Error("the lab has no host");
  return (await runInHost(host, ["bash", "-ec", script])).stdout.trim();
}

const network = `<network><name>nodes</name><forward mode='nat'/><bridge name='virbr9'/>
  <ip address='192.168.90.1' netmask='255.255.255.0'><dhcp><range start='192.168.90.100' end='192.168.90.110'/>
  <host mac='52:54:00:00:90:0b' ip='192.168.90.11'/><bootp file='http://192.168.90.1/boot.ipxe'/></dhcp></ip></network>`;

const domain = `<domain type='qemu'><name>node</name><memory unit='MiB'>128</memory><vcpu>1</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type><boot dev='network'/></os><features><acpi/></features>
  <devices><disk type='file'><driver name='qemu' type='qcow2'/><source file='/var/lib/libvirt/images/node.qcow2'/>
  <target dev='vda' bus='virtio'/></disk><interface type='network'><source network='nodes'/>
  <mac address='52:54:00:00:90:0b'/><model type='virtio'/></interface><serial type='pty'/></devices></domain>`;

test("libvirt works as Debian installs it: a nested machine gets its reserved address and boots over HTTP", async () => {
  // qemu.conf contains only comments: the packages' own settings apply.
  expect(await inside("grep -cvE '^ *(#|$)' /etc/libvirt/qemu.conf || true")).toBe("0");
  await inside(
    `cat > /tmp/network.xml <<'END'\n${network}\nEND\nvirsh net-define /tmp/network.xml; virsh net-start nodes`,
  );
  await inside(
    "systemctl start nginx; printf '#!ipxe\\nchain http://192.168.90.1/done?mac=${net0/mac:hexhyp}\\n' > /var/www/html/boot.ipxe",
  );
  await inside(
    `cat > /tmp/node.xml <<'END'\n${domain}\nEND\nqemu-img create -q -f qcow2 /var/lib/libvirt/images/node.qcow2 1G`,
  );
  await inside("virsh define /tmp/node.xml; virsh start node");
  expect(await inside("ps -o user= -C qemu-system-x86_64")).toBe("libvirt-qemu");
  await inside(
    "for try in $(seq 180); do grep -q /done /var/log/nginx/access.log && exit; sleep 1; done; virsh domstate node; exit 1",
  );
  const log = await inside("cat /var/log/nginx/access.log");
  expect(log).toMatch(/^192\.168\.90\.11 .* "GET \/boot\.ipxe HTTP\/1\.1" 200 .*iPXE/m);
  expect(log).toMatch(/^192\.168\.90\.11 .* "GET \/done\?mac=52-54-00-00-90-0b /m);
  await inside("virsh destroy node");
});
