import { absent, file, refuse, task, z } from "../../src/authoring.ts";
import { askCluster, lookAt, notSeen, unseenTexts } from "../cluster-answers/answers.ts";
import { places } from "../rke2/config.ts";

/** The directory of local-path-provisioner's volumes on each node (deploy/local-path-storage.yaml). */
export const volumesFolder = "/opt/local-path-provisioner";

/** KubeVirt also runs machines without a VirtualMachine object: those of a replica set, and standalone ones. */
const lists = ["machines", "instances"] as const;

type Look = ReturnType<typeof lookAt<(typeof lists)[number]>>;

/** The names of all machines that were found, without duplicates. */
function namesIn({ machines, instances }: Extract<Look, { seen: unknown }>["seen"]): string[] {
  return [...new Set([...machines, ...instances].map(({ name }) => name))];
}

/**
 * The errors of a cluster that does not answer because its servers no longer exist or it has lost its quorum. Any other
 * error, such as a missing kubeconfig, says nothing about the cluster.
 */
const silences: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "timeout",
  "HTTP 500",
  "HTTP 502",
  "HTTP 503",
  "HTTP 504",
]);

/** What remains on a host that is, or was, a node. */
const signs = {
  data: file(places.database),
  authority: file(places.agentAuthority),
  volumes: file(volumesFolder),
};

/**
 * True if removing a node from this host could lose machines. Volumes alone count only if they are removed too.
 */
function mayLose(
  removeVolumes: boolean,
  { data, authority, volumes }: Readonly<Record<keyof typeof signs, unknown>>,
): boolean {
  return data !== absent || authority !== absent || (removeVolumes && volumes !== absent);
}

/**
 * Refuses to destroy a cluster that has machines, or may have some, unless their loss is accepted. A cluster whose
 * destruction has begun may no longer answer; the run that began the destruction has recorded that there were no
 * machines.
 */
export const noMachines = task({
  name: "noMachines",
  summary: "Refuse to destroy a cluster that has, or may have, virtual machines",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    removeMachines: z.boolean().describe("Accept the loss of all machines, even unknown ones"),
    removeVolumes: z.boolean().describe("Whether the volumes on the host are removed too"),
  }),
  examples: [],
  title: () => "no machine is lost by mistake",
})
  .facts(() => ({ ...signs, leaving: file(places.leaving) }))
  .facts((p, now) => ({
    ...(mayLose(p.removeVolumes, now) && !p.removeMachines && askCluster(p.kubeconfig, ...lists)),
  }))
  .want((_p, { machines, instances, leaving }) => {
    if (machines === undefined || instances === undefined) return {};
    const look = lookAt({ machines, instances }, ...lists);
    if ("unseen" in look) {
      if (leaving !== absent && look.unseen.every(({ code }) => silences.has(code))) return {};
      const more = "; to remove the cluster with all machines that it may have, set removeMachines=true";
      return notSeen("whether the cluster has machines", look.unseen, more);
    }
    const all = namesIn(look.seen);
    if (all.length === 0) return {};
    return refuse({
      code: "machines-left",
      message: `the cluster has machines, whose volumes would be lost: ${all.join(", ")}`,
      hint: "Delete the machines, or set removeMachines=true",
    });
  })
  .steps(() => []);

/**
 * Removes the record of an earlier destruction from a node whose cluster has machines: they were created after the
 * record, and once the cluster no longer responds, a later run would trust the record.
 */
export const leavingOutdated = task({
  name: "leavingOutdated",
  summary: "Remove the record of an interrupted destruction if the cluster has machines now",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "no outdated record of an earlier destruction",
})
  .facts(() => ({ leaving: file(places.leaving) }))
  .facts((p, { leaving }) => ({ ...(leaving !== absent && askCluster(p.kubeconfig, ...lists)) }))
  .want((_p, { machines, instances }) => {
    if (machines === undefined || instances === undefined) return {};
    const look = lookAt({ machines, instances }, ...lists);
    return "seen" in look && namesIn(look.seen).length > 0 ? { leaving: absent } : {};
  })
  .steps((_p, { change }) => [change.leaving && { step: "remove", path: places.leaving, recursive: false }])
  .notes((_p, { machines, instances }) => {
    if (machines === undefined || instances === undefined) return [];
    const look = lookAt({ machines, instances }, ...lists);
    return "unseen" in look ? unseenTexts(look.unseen) : [];
  });

const noted = "parvester-destroy has seen that the cluster has no machines, and removes it\n";

/**
 * Records on a node that the check `noMachines` has passed on all hosts. The record is removed with the node, or when
 * the node is redeployed.
 */
export const leavingNoted = task({
  name: "leavingNoted",
  summary: "Record on a node that its cluster had no machines when its destruction began",
  params: z.strictObject({ removeVolumes: z.boolean().describe("Whether the volumes on the host are removed too") }),
  examples: [],
  title: () => "the destruction is recorded",
})
  .facts(() => ({ ...signs, folder: file(places.downloads), leaving: file(places.leaving, ["text"]) }))
  .want((p, now) =>
    mayLose(p.removeVolumes, now)
      ? { folder: { type: "directory" as const }, leaving: { type: "file" as const, text: noted } }
      : {},
  )
  .steps((_p, { change }) => [
    change.folder && { step: "makeDirectory", path: places.downloads, parents: false, mode: "0700" },
    change.leaving && { step: "writeFile", path: places.leaving, text: noted, mode: "0600" },
  ]);
