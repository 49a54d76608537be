import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "../../src/core/transport.ts";
import { addressOf, makeKey, startSshd, temporaryFolder, type Sshd } from "./sshd.ts";

/** A folder for keys and known_hosts files. */
export const folder: string = temporaryFolder();
/** The user who runs the tests and logs in. */
export const { user } = addressOf(0);
/** Signs keys of users. */
export const userCa: string = makeKey(folder, "user_ca");
/** Signs keys of hosts. */
export const hostCa: string = makeKey(folder, "host_ca");
/** A key that its certificate alone lets in. */
export const certified: string = makeKey(folder, "certified");
certify(userCa, certified, "-n", user);
/** A key that authorized_keys lets in. */
export const plain: string = makeKey(folder, "plain");
/** A key that nobody lets in. */
export const stranger: string = makeKey(folder, "stranger");
/** The key of the host, for which its certificate vouches. */
export const hostKey: string = makeKey(folder, "certified_host");

/** Signs a key, and returns the path of the certificate, which lies beside it. */
export function certify(ca: string, key: string, ...more: readonly string[]): string {
  execFileSync("ssh-keygen", ["-q", "-s", ca, "-I", "test", ...more, `${key}.pub`]);
  return `${key}-cert.pub`;
}

let count = 0;

/** Writes a known_hosts file. */
export function knownHosts(...lines: readonly string[]): string {
  count += 1;
  const path = join(folder, `known_hosts_${count}`);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

/** Starts a sshd that shows a certificate and believes those of users. */
export function startCertified(): Promise<Sshd> {
  const certificate = certify(hostCa, hostKey, "-h", "-n", "127.0.0.1");
  return startSshd({
    authorizedKeys: [plain],
    hostKeyTypes: [],
    config: [`HostKey ${hostKey}`, `HostCertificate ${certificate}`, `TrustedUserCAKeys ${userCa}.pub`],
  });
}

/** An address for the transport openssh, as the inventory makes it where it says all that stands here. */
export function addressTo(port: number, more: Partial<Address> = {}): Address {
  const said = "port user jump hostKeyPolicy knownHostsFiles keepaliveSeconds identityFiles".split(" ");
  const usual = { transport: "openssh", identityFiles: [plain], connectTimeoutSeconds: 30 } as const;
  const address = addressOf(port, { ...usual, ...more });
  return { ...address, asked: { name: address.address, said: new Set(said) } };
}
