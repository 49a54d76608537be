import { FurrowError } from "../../../core/errors.ts";
import type { Address } from "../../../core/host/transport.ts";
import { orderHostKeyAlgorithms } from "../algorithms.ts";
import { fingerprint } from "./fingerprint.ts";
import { authorityOf, entriesOf, judgeHostKey, knownAs, knownHostsName, wireType } from "./known-hosts.ts";
import type { HostKeyVerdict, KnownHosts } from "./known-hosts.ts";
import { appendKnownHost, readKnownKeys } from "./known-hosts-file.ts";

/** Judges the keys that a server presents during one connection, in the first key exchange and in later ones. */
export interface HostKeyJudge {
  /** The algorithms to ask the server for. */
  readonly algorithms: ReturnType<typeof orderHostKeyAlgorithms>;
  /** Resolves if the key is accepted. Throws E_HOST_KEY. */
  accept(key: Buffer): Promise<void>;
  /** Set once the policy `off` has accepted a changed key: no password may be sent to the host. */
  readonly changed: FurrowError | undefined;
}

/**
 * Reads the known_hosts files that apply to an address, and returns a judge that accepts or refuses its host keys.
 * Throws E_FILE.
 */
export async function hostKeyJudge(address: Address): Promise<HostKeyJudge> {
  const known = await readKnownKeys(address);
  const accepted: Buffer[] = [];
  let changed: FurrowError | undefined;
  return {
    get changed() {
      return changed;
    },
    algorithms: hostKeyAlgorithmsFor(address, known),
    accept: async (key) => {
      if (accepted.some((earlier) => earlier.equals(key))) return;
      const verdict = judgeHostKey(known.entries, ...knownAs(address), key);
      // With the policy `off`, any key passes unless it is revoked: someone else may have a revoked key's private half.
      if (address.hostKeyPolicy === "off" && verdict.is !== "revoked") {
        if (verdict.is === "changed") changed = refusal(address, verdict, key, known);
        return;
      }
      if (verdict.is === "unknown" && address.hostKeyPolicy === "accept-new") {
        const file = address.newHostKeysFile;
        if (file !== undefined) await appendKnownHost(file, ...knownAs(address), key);
      } else if (verdict.is !== "known") {
        throw refusal(address, verdict, key, known);
      }
      accepted.push(key);
    },
  };
}

/** The host key algorithms to ask a host for, those of its known keys first. */
export function hostKeyAlgorithmsFor(address: Address, known: KnownHosts): ReturnType<typeof orderHostKeyAlgorithms> {
  const [name, port] = knownAs(address);
  const own = entriesOf(known.entries, name, port);
  const entries = own.length > 0 ? own : entriesOf(known.entries, name, 22);
  return orderHostKeyAlgorithms(new Set(entries.map(({ keyType }) => keyType)));
}

/** The known_hosts line for a host's key. */
export function knownHostsLine(address: Address, key: Buffer): string {
  return `${knownHostsName(...knownAs(address))} ${wireType(key) ?? "?"} ${key.toString("base64")}`;
}

function refusal(address: Address, verdict: HostKeyVerdict, key: Buffer, known: KnownHosts): FurrowError {
  const name = knownHostsName(...knownAs(address));
  const shown = `${wireType(key) ?? "?"} ${fingerprint(key)}`;
  const where = { host: address.name };
  if (verdict.is === "unknown" || verdict.is === "known") {
    const authority = authorityOf(known, ...knownAs(address));
    return new FurrowError("E_HOST_KEY", {
      what: `the host key of ${name} is not known`,
      where,
      current: shown,
      expected: `a line for ${name} in ${address.newHostKeysFile ?? (address.knownHostsFiles.join(" or ") || "a known_hosts file")}`,
      hint:
        authority === undefined
          ? "Compare the fingerprint with the host's own (ssh-keygen -lf on its console), then add the line below, or allow new keys (host key policy accept-new)"
          : `Set transport: "openssh" for the host: ${authority} vouches for its certificate, which only ssh itself can check`,
      details: [knownHostsLine(address, key), ...known.notes],
    });
  }
  const place = `${verdict.entry.file}:${verdict.entry.line}`;
  const stored = `${verdict.entry.keyType} ${fingerprint(verdict.entry.key)} (${place})`;
  if (verdict.is === "revoked") {
    return new FurrowError("E_HOST_KEY", {
      what: `the host key of ${name} is revoked`,
      where,
      current: shown,
      expected: `any key except the revoked one at ${place}`,
      hint: "Find out why the key was revoked before you connect; the host may belong to someone else",
    });
  }
  return new FurrowError("E_HOST_KEY", {
    what: `the host key of ${name} has changed`,
    where,
    current: shown,
    expected: stored,
    hint: `Find out whether the host was reinstalled; only then remove ${place}. Otherwise someone may be intercepting the connection`,
    details: [
      knownHostsLine(address, key),
      ...(address.hostKeyPolicy === "off"
        ? ["The host key policy is off, but no password is sent to such a host"]
        : []),
    ],
  });
}
