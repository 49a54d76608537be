import type { Address } from "../../core/host/transport.ts";
import { knownAs, knownHostsName, namesHost } from "../ssh/host-keys/known-hosts.ts";
import { readKnownHosts, readKnownKeys } from "../ssh/host-keys/known-hosts-file.ts";
import { readRevokedKeys } from "../ssh/host-keys/revoked-keys.ts";
import type { WriteFile } from "./arguments.ts";

/**
 * Uses a separate known_hosts file for an address, and for each of its jump hosts, if the inventory lists host keys for
 * it. The file contains these keys and the keys that the host's known_hosts files revoke. Throws E_FILE.
 */
export async function withKeyFiles(address: Address, write: WriteFile): Promise<Address> {
  const jump = await Promise.all(address.jump.map((hop, index) => ownFile(hop, `hosts-${index}`, write)));
  return { ...(await ownFile(address, "hosts", write)), jump };
}

/**
 * Makes ssh refuse revoked keys even if the host key policy is off. With that policy, ssh accepts a key that a
 * known_hosts file revokes, but under any policy it refuses the keys in RevokedHostKeys.
 */
async function withoutRevoked(address: Address, name: string, write: WriteFile): Promise<Address> {
  const { entries } = await readKnownHosts(address.knownHostsFiles);
  const [host, port] = knownAs(address);
  const names = [knownHostsName(host, port), host.toLowerCase()];
  const revoked = entries.filter((entry) => entry.revoked && names.some((one) => namesHost(entry.hosts, one)));
  if (revoked.length === 0) return address;
  // ssh reads only one file of revoked keys.
  const others = address.revokedKeysFile === undefined ? [] : await readRevokedKeys(address.revokedKeysFile);
  const lines = [...revoked, ...others].map(({ keyType, key }) => `${keyType} ${key.toString("base64")}\n`);
  return { ...address, revokedKeysFile: write(`${name}-revoked`, lines.join("")) };
}

async function ownFile(address: Address, name: string, write: WriteFile): Promise<Address> {
  const { hostKeys = [], hostKeyPolicy, asked } = address;
  if (hostKeyPolicy === "off") return withoutRevoked(address, name, write);
  if (hostKeys.length === 0) return address;
  // ssh reads RevokedHostKeys itself.
  const { revokedKeysFile: _own, ...rest } = address;
  const { entries } = await readKnownKeys(rest);
  // Only this connection reads the file, so these are the host's keys under any name that ssh looks up.
  const lines = entries.map(({ revoked, keyType, key }) =>
    [...(revoked ? ["@revoked"] : []), "*", keyType, key.toString("base64")].join(" "),
  );
  return {
    ...address,
    hostKeyPolicy: "strict",
    knownHostsFiles: [write(name, `${lines.join("\n")}\n`)],
    ...(asked !== undefined && {
      asked: { ...asked, said: new Set([...asked.said, "hostKeyPolicy", "knownHostsFiles"]) },
    }),
  };
}
