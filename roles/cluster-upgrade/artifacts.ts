import type { Cluster } from "../cluster/cluster-fields.ts";

/**
 * Says which artifact belongs to a release other than the wanted one, according to its URL; undefined if none does. The
 * digest of such an artifact would match, but the cluster would get the wrong release.
 */
export function artifactsOfOther({ version, artifacts }: Pick<Cluster, "version" | "artifacts">): string | undefined {
  if (artifacts === undefined) return undefined;
  const { kernel, initrd, rootfs, iso } = artifacts;
  for (const { url } of [kernel, initrd, rootfs, iso]) {
    const named = [...url.matchAll(/v\d+\.\d+\.\d+(-rc\d+)?/g)].map(([name]) => name);
    if (named.length > 0 && !named.includes(version)) return `URLs of ${version}, not ${url}`;
  }
  return undefined;
}
