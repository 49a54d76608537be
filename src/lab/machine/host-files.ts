import { createHash, randomBytes } from "node:crypto";
import { aptCachePort } from "../image/apt-cache-start.ts";
import type { LabNetwork } from "./network.ts";
import type { TreeFile } from "../image/tree.ts";
import { homeOf, labUsers } from "./users.ts";

const aptProxyScript = "/usr/lib/furrow-lab/apt-proxy";

/** The script that apt runs for every URL; if the lab's cache does not answer, the host uses the mirror directly. */
function aptProxy(gateway: string): string {
  const port = aptCachePort;
  return `#!/bin/bash
if (: < /dev/tcp/${gateway}/${port}) 2>/dev/null; then echo http://${gateway}:${port}; else echo DIRECT; fi
`;
}

/** The properties of one host that distinguish it from the image. */
export interface HostIdentity {
  readonly name: string;
  readonly address: string;
  readonly network: LabNetwork;
  readonly nameServers: readonly string[];
  /** The public half of the lab's key, as one line. */
  readonly authorizedKey: string;
  /** The host's own ed25519 key pair, as OpenSSH files. */
  readonly hostKey: { readonly secret: string; readonly public: string };
}

/** The files that are written to a host's upper layer before its first boot. */
export function hostFiles(host: HostIdentity): Readonly<Record<string, TreeFile>> {
  const { name, address, network } = host;
  const keys = Object.fromEntries(
    labUsers.map((user, index) => [
      `${homeOf(user)}/.ssh/authorized_keys`,
      { text: `${host.authorizedKey}\n`, mode: "0600", owner: index === 0 ? 0 : 999 + index },
    ]),
  );
  return {
    ...keys,
    "/etc/hostname": { text: `${name}\n` },
    // sudo looks up the host's name on every call; without this line it would wait for a name server.
    "/etc/hosts": { text: `127.0.0.1 localhost\n127.0.1.1 ${name}\n::1 localhost ip6-localhost ip6-loopback\n` },
    "/etc/resolv.conf": { text: host.nameServers.map((server) => `nameserver ${server}\n`).join("") },
    "/etc/apt/apt.conf.d/20lab-cache": { text: `Acquire::http::Proxy-Auto-Detect "${aptProxyScript}";\n` },
    "/etc/machine-id": {
      text: `${createHash("sha256").update(randomBytes(16)).digest("hex").slice(0, 32)}\n`,
      mode: "0444",
    },
    [aptProxyScript]: { text: aptProxy(network.gateway), mode: "0755" },
    "/etc/ssh/ssh_host_ed25519_key": { text: host.hostKey.secret, mode: "0600" },
    "/etc/ssh/ssh_host_ed25519_key.pub": { text: host.hostKey.public },
    "/etc/systemd/network/10-host0.network": {
      text: [
        "[Match]\nName=host0\n",
        `[Link]\nMTUBytes=${network.mtu}\n`,
        `[Network]\nAddress=${address}/24\nGateway=${network.gateway}\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n`,
      ].join("\n"),
    },
  };
}
