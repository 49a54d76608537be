import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "../../../src/core/host/transport.ts";
import { addressOf, makeKey, startSshd, temporaryFolder, type Sshd } from "../sshd.ts";

/** A folder for keys and known_hosts files. */
export const folder: string = temporaryFolder();
/** The user who runs the tests and logs in. */
export const { user } = addressOf(0);
/** The authority that signs user keys. */
export const userCa: string = makeKey(folder, "user_ca");
/** The authority that signs host keys. */
export const hostCa: string = makeKey(folder, "host_ca");
/** A key that is accepted only with its certificate. */
export const certified: string = makeKey(folder, "certified");
certify(userCa, certified, "-n", user);
/** A key that is listed in authorized_keys. */
export const plain: string = makeKey(folder, "plain");
/** A key that is never accepted. */
export const stranger: string = makeKey(folder, "stranger");
/** The host's key, which has a certificate. */
export const hostKey: string = makeKey(folder, "certified_host");

/** Signs a key and writes the certificate next to it. Returns the certificate's path. */
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

/** Starts an sshd that presents a certificate and accepts user certificates. */
export function startCertified(): Promise<Sshd> {
  const certificate = certify(hostCa, hostKey, "-h", "-n", "127.0.0.1");
  return startSshd({
    authorizedKeys: [plain],
    hostKeyTypes: [],
    config: [`HostKey ${hostKey}`, `HostCertificate ${certificate}`, `TrustedUserCAKeys ${userCa}.pub`],
  });
}

/** An address for the openssh transport, as created from an inventory that sets all of these options. */
export function addressTo(port: number, more: Partial<Address> = {}): Address {
  const said = "port user jump hostKeyPolicy knownHostsFiles keepaliveSeconds identityFiles".split(" ");
  const usual = { transport: "openssh", identityFiles: [plain], connectTimeoutSeconds: 30 } as const;
  const address = addressOf(port, { ...usual, ...more });
  return { ...address, asked: { name: address.address, said: new Set(said) } };
}
