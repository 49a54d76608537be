import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { artifactNames, documentRoot } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { artifactsBelow, releaseServer } from "../cluster/releases.ts";

/**
 * Downloads the kernel, initrd, root file system and ISO of a Harvester release, and checks each against its digest.
 */
export const bootArtifacts = role(
  {
    name: "boot artifacts",
    summary: "Download the nodes' boot artifacts, checked against the release's digests",
    params: z.strictObject({ cluster: z.custom<Pick<Cluster, "version" | "mirror" | "artifacts">>() }),
  },
  ({ cluster }) => {
    const names = artifactNames(cluster.version);
    const sources: NonNullable<Cluster["artifacts"]> =
      cluster.artifacts ?? artifactsBelow(cluster.mirror ?? releaseServer, cluster.version);
    return [
      t.file({ path: "/srv/www", state: "directory", mode: "0755" }),
      t.file({ path: documentRoot, state: "directory", mode: "0755" }),
      (["kernel", "initrd", "rootfs", "iso"] as const).map((part) => {
        const { url, checksum } = sources[part];
        // The schema requires a digest or the URL of a list, so the empty URL is never used.
        const listed = { url: sources.checksums ?? "", name: names[part] };
        return t.download(
          { url, path: `${documentRoot}/${names[part]}`, checksum: checksum ?? listed, mode: "0644" },
          { name: `download ${names[part]}` },
        );
      }),
    ];
  },
);
