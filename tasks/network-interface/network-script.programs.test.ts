import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { shells } from "../../test/contract/shells.fixture.ts";
import { networkScript } from "./network-script.ts";

const root = mkdtempSync(join(tmpdir(), "furrow-networks-"));
afterAll(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
/** Programs that a test host has. `ip` lists nothing. */
const programs = (folder: string, ...names: readonly string[]): string => {
  for (const name of names) {
    write(`${folder}/${name}`, "#!/bin/sh\necho '[]'\n");
    chmodSync(join(root, folder, name), 0o755);
  }
  return `${join(root, folder)}:/usr/bin:/bin`;
};
const lines = (shell: readonly string[], path: string, place: string, more: NodeJS.ProcessEnv = {}): string[] => {
  const [program = "", ...words] = shell;
  const script = `PATH=${path}\n${networkScript([4], join(root, place))}`;
  return execFileSync(program, [...words, "-c", script], { encoding: "utf8", env: { PATH: path, ...more } })
    .trimEnd()
    .split("\n")
    .filter((line) => /^4 (renderers|foreign|armed|connection|address=|systemd|!)/.test(line));
};

const netplan = programs("netplan-bin", "ip", "netplan");
write(
  "netplan/etc/netplan/50-cloud-init.yaml",
  `# comment
network:
    version: 2
    ethernets:
        eth0:
            dhcp4: true
            match: {macaddress: "02:00:00:00:00:01"}
            nameservers:
                addresses: [192.0.2.53]
        "eth1":
            addresses:
            - 192.0.2.7/24
    bridges:
        br0: {interfaces: [eth2], dhcp4: true}
`,
);
write("netplan/etc/netplan/90-furrow-eth9.yaml", "network:\n  ethernets:\n    eth9:\n      dhcp4: false\n");
write("netplan/var/lib/furrow/undo/network/armed/boot", "");

const ifupdown = programs("ifupdown-bin", "ip", "ifup");
write("ifupdown/etc/network/interfaces", "auto lo\niface lo inet loopback\niface eth0 inet dhcp\n");
write("ifupdown/etc/network/interfaces.d/50-cloud-init", "auto eth1\niface eth1 inet dhcp\niface eth1 inet6 auto\n");
write("ifupdown/etc/network/interfaces.d/furrow-br0", "iface br0 inet manual\n");
write("bare/etc/network/interfaces", "auto lo\niface lo inet loopback\n");

test.each(shells.map((shell) => ({ name: shell.join(" "), shell })))(
  "a host that uses netplan, in $name",
  ({ shell }) => {
    const file = `${root}/netplan/etc/netplan/50-cloud-init.yaml`;
    expect(lines(shell, netplan, "netplan")).toEqual([
      "4 renderers=netplan",
      "4 systemd=no",
      "4 connection=",
      "4 address=",
      "4 armed=yes",
      `4 foreign:eth0=${file}: dhcp4, nameservers`,
      `4 foreign:eth1=${file}: addresses`,
      `4 foreign:br0=${file}: {}`,
    ]);
  },
);

test.each(shells.map((shell) => ({ name: shell.join(" "), shell })))(
  "a host that uses ifupdown, in $name",
  ({ shell }) => {
    expect(lines(shell, ifupdown, "ifupdown")).toEqual([
      "4 renderers=ifupdown",
      "4 systemd=no",
      "4 connection=",
      "4 address=",
      "4 armed=no",
      `4 foreign:eth1=${root}/ifupdown/etc/network/interfaces.d/50-cloud-init: iface`,
    ]);
  },
);

test.each(shells.map((shell) => ({ name: shell.join(" "), shell })))(
  "a host without a network tool, in $name",
  ({ shell }) => {
    expect(lines(shell, ifupdown, "bare")[0]).toBe("4 renderers=");
  },
);

test.each(shells.map((shell) => ({ name: shell.join(" "), shell })))(
  "the connection's own address, in $name",
  ({ shell }) => {
    const more = { SSH_CONNECTION: "198.51.100.7 50412 192.0.2.10 22" };
    expect(lines(shell, ifupdown, "bare", more)).toContain("4 address=192.0.2.10");
  },
);
