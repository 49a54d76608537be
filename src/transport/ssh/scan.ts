import type { Address } from "../../core/host/transport.ts";
import { algorithms } from "./algorithms.ts";
import { Deadline } from "./deadline.ts";
import { fingerprint } from "./host-keys/fingerprint.ts";
import { hostKeyAlgorithmsFor, knownHostsLine } from "./host-keys/host-key-policy.ts";
import { authorityOf, judgeHostKey, knownAs, knownHostsName, wireType } from "./host-keys/known-hosts.ts";
import { readKnownKeys } from "./host-keys/known-hosts-file.ts";
import type { SshTransport } from "./ssh.ts";
import { sshTransport } from "./ssh.ts";
import { loadSsh2 } from "./ssh2.ts";
import type { Wire } from "./wire.ts";

/** A host whose key is not known yet. */
export interface UnknownHostKey {
  /** The host's name in the inventory, or the jump host's name. */
  readonly host: string;
  /** The host's name in known_hosts: `web1.example.com` or `[web1.example.com]:2222`. */
  readonly name: string;
  readonly keyType: string;
  /** `SHA256:…`, to compare with the fingerprint on the host's console. */
  readonly fingerprint: string;
  /** The line to add to a known_hosts file. */
  readonly line: string;
  /** Where known_hosts lists an authority that vouches for the host's certificate: `path:line`. */
  readonly authority: string | undefined;
}

/** Number of hosts queried at the same time. */
const atOnce = 32;

/**
 * Asks many hosts for their keys without logging in, and returns the hosts that no known_hosts file lists, in the order
 * of `addresses`, each once. Jump hosts are asked first, and used only if their keys are known. Hosts that cannot be
 * reached, whose key has changed, or whose policy is not `strict` are left to the run itself.
 */
export async function collectUnknownHostKeys(
  addresses: readonly Address[],
  signal: AbortSignal,
  transport: SshTransport = sshTransport,
): Promise<UnknownHostKey[]> {
  const asked = new Map<string, Promise<UnknownHostKey | undefined>>();
  const found: (UnknownHostKey | undefined)[] = [];
  const queue = [...addresses.filter((address) => address.transport === "ssh").entries()];
  const ask = (address: Address): Promise<UnknownHostKey | undefined> => {
    const id = [...address.jump, address]
      .map((hop) => [knownHostsName(hop.address, hop.port), hop.hostKeyAlias ?? ""])
      .join(" ");
    const answer = asked.get(id) ?? unknownKeyOf(address, signal, transport);
    asked.set(id, answer);
    return answer;
  };
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, address] = next;
      found[index] = await firstUnknown(address, ask);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return [...new Set(found.filter((key) => key !== undefined))];
}

async function firstUnknown(
  address: Address,
  ask: (address: Address) => Promise<UnknownHostKey | undefined>,
): Promise<UnknownHostKey | undefined> {
  for (const [index, hop] of address.jump.entries()) {
    const unknown = await ask({ ...hop, jump: address.jump.slice(0, index) });
    if (unknown !== undefined) return unknown;
  }
  return ask(address);
}

async function unknownKeyOf(
  address: Address,
  signal: AbortSignal,
  transport: SshTransport,
): Promise<UnknownHostKey | undefined> {
  if (address.hostKeyPolicy !== "strict") return undefined;
  const either = AbortSignal.any([signal, new Deadline(address.connectTimeoutSeconds * 1000).signal]);
  const known = await readKnownKeys(address);
  try {
    const { wire, lease } = await transport.openWire(address, either);
    const key = await shownKey(address, wire, hostKeyAlgorithmsFor(address, known), either).finally(() =>
      lease?.release(),
    );
    if (judgeHostKey(known.entries, ...knownAs(address), key).is !== "unknown") return undefined;
    return {
      host: address.name,
      name: knownHostsName(...knownAs(address)),
      keyType: wireType(key) ?? "?",
      fingerprint: fingerprint(key),
      line: knownHostsLine(address, key),
      authority: authorityOf(known, ...knownAs(address)),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

/** Communicates with a server until it has proved that it owns its key, then disconnects. */
async function shownKey(
  address: Address,
  wire: Wire,
  serverHostKey: ReturnType<typeof hostKeyAlgorithmsFor>,
  signal: AbortSignal,
): Promise<Buffer> {
  const { Client } = await loadSsh2();
  return new Promise<Buffer>((resolve, reject) => {
    const client = new Client();
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    client.on("error", reject);
    client.once("close", () => reject(new Error("the host closed the connection")));
    client.connect({
      sock: wire.stream,
      username: address.user,
      algorithms: { ...algorithms, serverHostKey },
      readyTimeout: 0,
      hostVerifier: (key: Buffer) => {
        resolve(key);
        return false;
      },
    });
  }).finally(() => wire.stream.destroy());
}
