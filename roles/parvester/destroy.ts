import { absent, type Node, type PlayContext, role, task, z } from "../../src/authoring.ts";
import { kubeconfigFile, keptHostKeys, removeHostKeys, removeKubeconfig } from "../../src/facts/catalogue.ts";
import * as t from "../../tasks/index.ts";
import { othersNote } from "../identity/other-kubeconfig.ts";
import { placeOf } from "../rke2/members.ts";
import { places, ports } from "../rke2/config.ts";
import { volumesFolder } from "./no-machines.ts";
import type { Parvester } from "./parvester.ts";

/** Removes a destroyed cluster's kubeconfig from the controller, unless it is for another server. */
export const kubeconfigGone = task({
  name: "kubeconfigGone",
  summary: "Remove a destroyed cluster's kubeconfig from the controller",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    server: z.string().describe("URL of the cluster's API"),
  }),
  examples: [],
  title: ({ kubeconfig }) => `kubeconfig ${kubeconfig} is removed`,
})
  .facts((p) => ({ copy: kubeconfigFile(p.kubeconfig), keys: keptHostKeys(p.kubeconfig) }))
  .want((p, { copy }) => {
    if (copy !== absent && copy.server !== p.server) return {};
    // Another context may be the only access to another cluster.
    return { keys: absent, ...((copy === absent || copy.others === undefined) && { copy: absent }) };
  })
  .steps((p, { change, now: { copy } }) => [
    change.copy && copy !== absent ? removeKubeconfig(p.kubeconfig, copy) : change.keys && removeHostKeys(p.kubeconfig),
  ])
  .notes((p, { copy }) => {
    if (copy === absent) return [];
    return copy.server === p.server
      ? othersNote(p.kubeconfig, copy)
      : [`the kubeconfig ${p.kubeconfig} stays: it is for another cluster, at ${copy.server}`];
  });

/** Removes RKE2 and all data of the cluster from a host. Removes the volumes only if that is requested. */
export const nodeGone = role(
  {
    name: "node gone",
    summary: "Remove RKE2 and all data of the cluster from a host",
    params: z.strictObject({ removeVolumes: z.boolean() }),
  },
  ({ removeVolumes }) => [
    t.command(
      {
        command: [places.uninstall],
        env: { INSTALL_RKE2_ROOT: places.prefix },
        removes: places.uninstall,
      },
      { name: "RKE2's own uninstall script" },
    ),
    t.file({ path: places.prefix, state: "absent", recursive: true }),
    t.file({ path: "/usr/local/bin/virtctl", state: "absent" }),
    removeVolumes && t.file({ path: volumesFolder, state: "absent", recursive: true }),
    // Removed last, because it contains the record that lets the next run finish this one.
    t.file({ path: places.downloads, state: "absent", recursive: true }),
  ],
);

/** The hosts that a play removes from the cluster. */
export type Leaving = "agents" | "other servers" | "first server";

/** Removes a host from the cluster if it is one of these hosts; with the first server, also removes the kubeconfig. */
export function leaveTasks(
  context: PlayContext<Parvester & { readonly removeVolumes: boolean }>,
  leaving: Leaving,
): Node[] {
  const { vars } = context;
  const { member, first } = placeOf(context);
  const own = member.first ? "first server" : member.kind === "agent" ? "agents" : "other servers";
  if (own !== leaving) return [];
  return [
    nodeGone({ removeVolumes: vars.removeVolumes }),
    ...(member.first
      ? [kubeconfigGone({ kubeconfig: vars.kubeconfig, server: `https://${first.address}:${ports.api}` })]
      : []),
  ];
}
