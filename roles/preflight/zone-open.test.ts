import { expect, test } from "vitest";
import { portIn } from "./zone-open.ts";

const zone = (more: { target?: string; services?: string[]; ports?: string[]; rules?: string[] }) => {
  const set = (names: readonly string[] = []) => Object.fromEntries(names.map((name) => [name, true as const]));
  const { target = "default", services, ports, rules } = more;
  return { target, services: set(services), ports: set(ports), rules: set(rules) };
};
/** The zone that libvirt installs: everything may be forwarded, but only some services of the host may be used. */
const libvirt = {
  target: "ACCEPT",
  services: ["dhcp", "dhcpv6", "dns", "ssh", "tftp"],
  rules: ['rule priority="32767" reject'],
};

test.each([
  ["80/tcp", "libvirt's own zone", libvirt, "closed"],
  ["69/udp", "libvirt's own zone", libvirt, "open"],
  ["80/tcp", "libvirt's own zone with http", { ...libvirt, services: ["http"] }, "open"],
  ["443/tcp", "the public zone", { services: ["ssh"] }, "closed"],
  ["443/tcp", "a zone that accepts everything", { target: "ACCEPT" }, "open"],
  ["6443/tcp", "a range of ports", { ports: ["6000-7000/tcp"] }, "open"],
  ["6443/tcp", "the same port, but of another protocol", { ports: ["6443/udp"] }, "closed"],
  ["443/tcp", "a rich rule that accepts the port", { rules: ['rule port port="443" protocol="tcp" accept'] }, "open"],
  [
    "443/tcp",
    "a rich rule for some addresses",
    { rules: ['rule family="ipv4" source address="192.0.2.0/24" port port="443" protocol="tcp" accept'] },
    "closed",
  ],
  ["80/tcp", "a rule that rejects all", { services: ["http"], rules: ['rule priority="-1" reject'] }, "denied"],
  ["80/tcp", "a rule that drops http", { services: ["http"], rules: ['rule service name="http" drop'] }, "denied"],
  ["80/tcp", "a rule that drops ssh", { services: ["http"], rules: ['rule service name="ssh" drop'] }, "open"],
  ["80/tcp", "a rule about ICMP", { services: ["http"], rules: ['rule protocol value="icmp" drop'] }, "open"],
])("tells whether %s is open in %s", (port, _where, more, expected) => expect(portIn(zone(more), port)).toBe(expected));
