import type { Cluster } from "../cluster/cluster-fields.ts";

/**
 * Reports an artifact whose URL names a release other than the requested one; undefined if every URL is right. The
 * artifact's digest would match, but the cluster would get the wrong release.
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
