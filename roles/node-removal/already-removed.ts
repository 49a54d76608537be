import { absent, absolutePath, file, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { fileText, type FileValue } from "../../src/facts/catalogue.ts";
import { askObject, decideOnObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { nodeSchema } from "../cluster-answers/objects.ts";
import { pinnedKubeconfig } from "../cluster-answers/pinned.ts";
import { maintenanceMarker } from "../cluster/places.ts";
import { reasonsIn } from "../maintenance/marker.ts";
import { nodePath } from "./node-gone.ts";

/** The playbooks that remove a node; the marker names the one that wrote it. */
export const removers = ["harvester-remove-node", "harvester-replace-node"] as const;

const params = z.strictObject({
  kubeconfig: pinnedKubeconfig,
  node: z.string().describe("Name of the node"),
  by: z.enum(removers).describe("The playbook that removes the node"),
  marker: absolutePath().describe("File that records the node's removal"),
});

type Params = z.output<typeof params>;

/**
 * Tells later tasks whether a node has already been removed, and whether an earlier run of the same playbook began to
 * remove it but did not finish. A node has been removed if a marker on the host says so and the cluster does not have
 * the node. The marker alone is not enough: if a run ends before it deletes the marker, a node that is later added
 * under the same name would never be removed. Only a replacement trusts its own marker, because its new node has the
 * same name: the marker is written once the cluster no longer has the old node, so any node of that name is the new
 * one. If the new node is ready, the run only finishes the earlier replacement, and a note says that it does not
 * reinstall the node.
 */
export const alreadyRemoved = task({
  name: "alreadyRemoved",
  summary: "Check whether a node has already been removed from the cluster",
  params,
  examples: [],
  title: ({ node }) => `whether ${node} has already been removed`,
})
  .facts((p) => ({ marker: file(p.marker, ["text"]), maintenance: file(maintenanceMarker, ["text"]) }))
  .facts((p, { marker }) => ({
    ...(marker !== absent && { node: askObject(p.kubeconfig, nodePath(p.node)) }),
  }))
  .want((p, { marker, node }) =>
    node === undefined
      ? {}
      : decideOnObject(node, { kind: "Node", name: p.node }, `whether ${p.node} is in the cluster`, (seen) =>
          seen === undefined && p.by === "harvester-remove-node" && isOfReplacement(marker) ? unfinished(p) : {},
        ),
  )
  .steps(() => [])
  .notes((p, { marker, node }) =>
    node !== undefined && isOwnReplacement(p, marker) && isReady(p, node)
      ? [
          `the node ${p.node} is already the new one of an earlier replacement, and is ready: this run only finishes that replacement, and does not reinstall the node; to replace it again, run the playbook once more`,
        ]
      : [],
  )
  .outputs((p, { marker, maintenance, node }) => {
    const removed = node !== undefined && (isOwnReplacement(p, marker) || isGone(p, node));
    const begun = reasonsIn(fileText(maintenance) ?? "").some((reason) => reason.by === p.by && reason.node === p.node);
    return { removed, interrupted: begun && !removed };
  });

function isGone(p: Params, node: Parameters<typeof lookAtObject>[0]): boolean {
  const look = lookAtObject(node, { kind: "Node", name: p.node });
  return "seen" in look && look.seen === undefined;
}

function isReady(p: Params, node: Parameters<typeof lookAtObject>[0]): boolean {
  const look = lookAtObject(node, { kind: "Node", name: p.node });
  const seen = "seen" in look ? nodeSchema.safeParse(look.seen).data : undefined;
  return seen?.ready === true;
}

function isOfReplacement(marker: FileValue): boolean {
  return fileText(marker)?.trim() === "harvester-replace-node";
}

/** True for a replacement's own marker. Earlier versions left the marker empty. */
function isOwnReplacement(p: Params, marker: FileValue): boolean {
  return p.by === "harvester-replace-node" && (isOfReplacement(marker) || fileText(marker)?.trim() === "");
}

/** Refuses to remove a node whose replacement did not finish: its new machine may exist, but has not joined yet. */
function unfinished({ node, marker }: Params): Refusal {
  return refuse({
    code: "replacement-unfinished",
    message: `${node} is not in the cluster, because its replacement has not finished`,
    current: `${marker} of harvester-replace-node`,
    expected: "no marker, or one that harvester-remove-node wrote",
    hint: "Rerun harvester-replace-node until it finishes, and then remove the node",
  });
}
