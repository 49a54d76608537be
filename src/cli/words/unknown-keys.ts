import { FurrowError } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";

/**
 * Reports all hosts with unknown keys together, before anything runs; otherwise the run would fail on one host after
 * another. Connects only to hosts that are not in any known_hosts file. `limit`: the --limit that was given. Throws
 * FurrowError E_HOST_KEY.
 */
export async function refuseUnknownKeys(
  addresses: readonly Address[],
  signal: AbortSignal,
  limit: string | undefined,
): Promise<void> {
  const strict = addresses.filter(({ transport, hostKeyPolicy }) => transport === "ssh" && hostKeyPolicy === "strict");
  if (strict.length === 0) return;
  const [{ entriesOf, knownAs }, { readKnownKeys }] = await Promise.all([
    import("../../transport/ssh/host-keys/known-hosts.ts"),
    import("../../transport/ssh/host-keys/known-hosts-file.ts"),
  ]);
  const strangers: Address[] = [];
  for (const address of strict) {
    const hops = await Promise.all(
      [...address.jump, address].map(async (hop) => ({ hop, known: await readKnownKeys(hop) })),
    );
    const known = hops.every(({ hop, known: { entries } }) => entriesOf(entries, ...knownAs(hop)).length > 0);
    if (!known) strangers.push(address);
  }
  if (strangers.length === 0) return;
  const [{ collectUnknownHostKeys }, { limitWithout }] = await Promise.all([
    import("../../transport/ssh/scan.ts"),
    import("./limit-without.ts"),
  ]);
  const unknown = await collectUnknownHostKeys(strangers, signal);
  const [first] = unknown;
  if (first === undefined) return;
  const file = strangers[0]?.knownHostsFiles[0] ?? "~/.ssh/known_hosts";
  const one = unknown.length === 1;
  const authority = unknown.find((key) => key.authority !== undefined)?.authority;
  const rest = limitWithout(addresses, new Set(unknown.map(({ name }) => name)), limit);
  const orWithout = rest === undefined ? "" : `; or run the other hosts with ${rest}`;
  const nothing = "so nothing was run on any host";
  throw new FurrowError("E_HOST_KEY", {
    what: one
      ? `the key of ${first.host} is not known, ${nothing}`
      : `the keys of ${unknown.length} hosts are not known, ${nothing}`,
    ...(one && { where: { host: first.host } }),
    current: one
      ? `${first.keyType} ${first.fingerprint}, shown by ${first.name}`
      : "shown by the hosts, but not in any known_hosts file",
    expected: `a line for ${one ? "it" : "each of them"} in ${file}`,
    hint:
      authority === undefined
        ? `Compare the fingerprints with those on the hosts' consoles, then add these lines to ${file}${orWithout}`
        : `Set transport: "openssh" for hosts whose certificate ${authority} vouches for; add the other lines to ${file}${orWithout}`,
    details: one
      ? [first.line]
      : [
          ...unknown.map(({ host, keyType, fingerprint }) => `${host}  ${keyType} ${fingerprint}`),
          ...unknown.map(({ line }) => line),
        ],
  });
}
