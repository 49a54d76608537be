import { absent, hostFacts, mountAt, refuse, role, task, z } from "../../src/authoring.ts";
import { file } from "../../src/facts/catalogue.ts";

/**
 * The folders that must survive a reboot of a node (the knowledge base of harvester/harvesterhci.io, kb/2023-08-23).
 */
const paths = ["/var/lib/rook", "/var/lib/ceph"] as const;

const params = z.strictObject({
  modules: z
    .array(z.string().regex(/^\w+$/, "the name of a kernel module"))
    .default(["rbd", "nbd"])
    .describe("Kernel modules that must be loaded; for CephFS also ceph"),
});

/**
 * Refuses a node that is not prepared for Rook. Harvester's operating system is immutable, so only the node's Harvester
 * configuration can prepare the node.
 */
export const nodePrepared = task({
  name: "nodePrepared",
  summary: "Check that a Harvester node is prepared for Rook",
  params,
  examples: [],
  title: () => "the node is prepared for Rook",
})
  .facts((p) => ({
    host: hostFacts(),
    mounts: paths.map((path) => mountAt(path)),
    modules: p.modules.map((name) => file(`/sys/module/${name.replaceAll("-", "_")}`)),
  }))
  .want((p, { host, mounts, modules }) => {
    const lost = paths.filter((_, index) => {
      const mount = mounts[index];
      return mount === undefined || !mount.mounted || ["tmpfs", "overlay"].includes(mount.fileSystem);
    });
    const unloaded = p.modules.filter((_, index) => modules[index] === absent);
    if (lost.length + unloaded.length === 0) return {};
    const config = JSON.stringify({ os: { persistent_state_paths: paths, modules: p.modules } });
    return refuse({
      code: "not-prepared",
      message: [
        ...lost.map((path) => `${path} of ${host.hostname} does not survive a reboot`),
        ...unloaded.map((name) => `${host.hostname} has not loaded the kernel module ${name}`),
      ].join("; "),
      hint: `Install the node with this in its Harvester configuration: ${config}; for a node that is already installed, see "Update Harvester Configuration After Installation" in Harvester's documentation`,
    });
  })
  .steps(() => []);

/** Checks the nodes of a Harvester cluster, and changes nothing. */
export const cephNodes = role(
  {
    name: "ceph nodes",
    summary: "Check that the nodes of a Harvester cluster are prepared for Rook, and change nothing",
    params,
  },
  ({ modules }) => [nodePrepared({ modules })],
);

/** The vars of the role that checks the nodes. */
export const cephNodesSchema = params;
