import { expect, test } from "vitest";
import { mayCut } from "./may-cut.ts";

const run = (...argv: string[]): boolean => mayCut([{ step: "run", argv }]);

test.each([
  ["systemctl", "restart", "systemd-networkd"],
  ["systemctl", "--no-block", "try-restart", "ssh.service"],
  ["service", "networking", "restart"],
  ["/usr/sbin/nft", "-f", "/etc/nftables.conf"],
  ["sh", "-c", "sleep 1; ip link set dev eth0 down"],
  ["sh", "-c", "ifdown eth0 && ifup eth0"],
  ["netplan", "apply"],
  ["bash", "-c", "for i in 1 2; do\n  systemctl restart\\\n sshd; done"],
  ["iptables-restore"],
])("may cut the connection: %s %s %s", (...argv) => {
  expect(run(...argv.filter((word) => typeof word === "string"))).toBe(true);
});

test.each([
  ["uptime"],
  ["systemctl", "restart", "nginx"],
  ["sh", "-c", "echo shipping the ipsum > /tmp/zip"],
  ["apt-get", "install", "iproute2"],
  ["cat", "/etc/hosts"],
])("does not look as if it may cut the connection: %s %s %s", (...argv) => {
  expect(run(...argv.filter((word) => typeof word === "string"))).toBe(false);
});

test("only a command counts as a step that may cut the connection", () => {
  expect(mayCut([{ step: "remove", path: "/etc/ip", recursive: false }])).toBe(false);
});
