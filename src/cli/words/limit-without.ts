import type { Address } from "../../core/host/transport.ts";
import { knownAs, knownHostsName } from "../../transport/ssh/host-keys/known-hosts.ts";

/**
 * Returns a `--limit` that excludes each host with one of these names in known_hosts, and each host behind a jump host
 * with such a name. Undefined if no host would be left.
 */
export function limitWithout(
  addresses: readonly Address[],
  unknown: ReadonlySet<string>,
  limit: string | undefined,
): string | undefined {
  const out = addresses.filter((address) =>
    [...address.jump, address].some((hop) => unknown.has(knownHostsName(...knownAs(hop)))),
  );
  if (out.length === addresses.length) return undefined;
  const separator = limit?.includes(",") === true ? "," : ":";
  const terms = [...(limit === undefined ? [] : [limit]), ...out.map(({ name }) => `!${name}`)];
  return `--limit '${terms.join(separator)}'`;
}
