import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cable } from "../link/cable.ts";

/** The hosts on which a workload runs, with addresses that bypass the cables. */
export interface Hosts {
  readonly identityFile: string;
  readonly hosts: readonly { readonly name: string; readonly address: string; readonly port: number }[];
  /** The public host keys of a host, each as `type base64`. */
  keysOf(name: string): readonly string[];
}

/** The same hosts at the end of one cable, described in the formats that the tools read. */
export interface Targets {
  readonly hosts: readonly { readonly name: string; readonly address: string; readonly port: number }[];
  readonly identityFile: string;
  readonly knownHostsFile: string;
  /** Path of an ssh_config(5) file with an entry for each host. */
  readonly sshConfig: string;
  /** Path of the file that contains these targets as JSON. */
  readonly file: string;
  /** Path of a folder for files that tools need. */
  readonly folder: string;
}

/**
 * Writes the files that tools need to connect to hosts.
 *
 * @param folder created if missing; one for each cable
 * @param cable undefined: connect directly to the hosts, without a proxy
 */
export async function reach(hosts: Hosts, folder: string, cable: Cable | undefined): Promise<Targets> {
  mkdirSync(folder, { recursive: true });
  const ports = await cable?.lay(hosts.hosts);
  const reached = hosts.hosts.map(({ name, address, port }, index) =>
    ports === undefined ? { name, address, port } : { name, address: "127.0.0.1", port: ports[index] ?? 0 },
  );
  const knownHostsFile = join(folder, "known_hosts");
  const known = reached.flatMap(({ name, address, port }) =>
    hosts.keysOf(name).map((key) => `${port === 22 ? address : `[${address}]:${port}`} ${key}\n`),
  );
  writeFileSync(knownHostsFile, known.join(""));
  const sshConfig = join(folder, "ssh_config");
  writeFileSync(sshConfig, reached.map((host) => stanza(host, hosts.identityFile, knownHostsFile)).join("\n"));
  chmodSync(sshConfig, 0o600);
  const file = join(folder, "targets.json");
  const targets = { hosts: reached, identityFile: hosts.identityFile, knownHostsFile, sshConfig, file, folder };
  writeFileSync(file, JSON.stringify(targets));
  return targets;
}

function stanza({ name, address, port }: Targets["hosts"][number], identity: string, known: string): string {
  return `Host ${name}
  HostName ${address}
  Port ${port}
  User root
  IdentityFile ${identity}
  IdentitiesOnly yes
  UserKnownHostsFile ${known}
  StrictHostKeyChecking yes
  PreferredAuthentications publickey
  LogLevel ERROR
`;
}
