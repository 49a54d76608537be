import { absent, absolutePath, digest, knownAfterApply, kubernetesCall, refuse, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { pinnedKubeconfig } from "../cluster-answers/pinned.ts";
import { systemNamespace } from "./attempts.ts";

const params = z.strictObject({
  kubeconfig: pinnedKubeconfig,
  version: z.string().describe("The version to offer"),
  iso: absolutePath().describe("The ISO image on the host, checked against its digest"),
  url: z.url().describe("The URL at which the nodes can fetch the image"),
});

/** Returns the path of a version in the cluster's API. */
export function offeredVersionPath(version: string): string {
  return `${versionsPath}/${version}`;
}

const versionsPath = `/apis/harvesterhci.io/v1beta1/namespaces/${systemNamespace}/versions`;

/**
 * Offers a version to a cluster: a Version object with the URL and the SHA-512 of the ISO image. Harvester may have
 * created the object itself, with the URL of the official server.
 */
export const versionOffered = task({
  name: "versionOffered",
  summary: "Offer a version to a cluster: tell Harvester the URL and the digest of its ISO image",
  params,
  examples: [],
  title: ({ version }) => `Harvester knows ${version}`,
})
  .facts((p) => ({ version: askObject(p.kubeconfig, offeredVersionPath(p.version)), image: digest(p.iso, "sha512") }))
  .want((p, { version, image }) =>
    decideOnObject(version, { kind: "Version", name: p.version }, `whether the cluster knows ${p.version}`, () =>
      image === absent
        ? refuse({
            code: "no-image",
            message: `${p.iso} does not exist`,
            hint: "Rerun the playbook: it downloads the image",
          })
        : { version: { found: true as const, object: { spec: specOf(p, image.sha512) } } },
    ),
  )
  .steps((p, { change, now: { version, image } }) => {
    if (!change.version) return [];
    const spec = specOf(p, image === absent ? undefined : image.sha512);
    if ("found" in version && version.found)
      return [
        kubernetesCall(p.kubeconfig, "PATCH", offeredVersionPath(p.version), `update version ${p.version}`, { spec }),
      ];
    const metadata = { name: p.version, namespace: systemNamespace };
    const object = { apiVersion: "harvesterhci.io/v1beta1", kind: "Version", metadata, spec };
    return [kubernetesCall(p.kubeconfig, "POST", versionsPath, `create version ${p.version}`, object)];
  });

function specOf({ url }: z.output<typeof params>, sha512: string | undefined): { isoURL: string; isoChecksum: string } {
  return { isoURL: url, isoChecksum: sha512 ?? (knownAfterApply as unknown as string) };
}
