import { type Node, once, type PlayContext } from "../../src/authoring.ts";
import { kubevirtStack, virtctl } from "../kubevirt-stack/role.ts";
import { localVms } from "../local-vms/role.ts";
import * as t from "../../tasks/index.ts";
import { clusterWhole } from "../rke2/cluster-whole.ts";
import { places } from "../rke2/config.ts";
import { firstAuthority } from "../rke2/first-authority.ts";
import { placeOf, serversFirst } from "../rke2/members.ts";
import { kubeconfigThere, reachedCluster } from "../rke2/reached.ts";
import { rke2Fits, rke2Node } from "../rke2/role.ts";
import { vmHost } from "../vm-hosts/role.ts";
import { parvesterNotes } from "./notes.ts";
import { refuseHosts, refuseTaken } from "./refuse-hosts.ts";
import type { Parvester } from "./parvester.ts";

type Context = PlayContext<Parvester>;

/** What a play is allowed to do to nodes. */
interface Allowed {
  /** The play may change the release of RKE2. */
  readonly upgrades?: boolean;
  /** The play may turn hosts into nodes. */
  readonly joins?: boolean;
  /** The play may remove the cluster. */
  readonly removes?: boolean;
  /** The play may create the cluster if the first server has no data. */
  readonly begins?: boolean;
}

/** Before anything is changed, refuses a host that cannot be a node of the cluster. */
export function fits(context: Context, allowed: Allowed = {}): Node[] {
  const { upgrades = false, joins = true, removes = false, begins = false } = allowed;
  refuseHosts(context);
  if (!removes) refuseTaken(context);
  const { vars: rke2, facts, allHosts } = context;
  const { member } = placeOf(context);
  const servers = allHosts.filter((host) => placeOf({ host, allHosts }).member.kind === "server").length;
  const node = { rke2, member, servers, architecture: facts.architecture, upgrades, joins, removes };
  if (!begins) return [rke2Fits(node)];
  const asked = firstAuthority({ first: member.first });
  return [
    once(serversFirst(allHosts), [asked]),
    rke2Fits({ ...node, firstAuthority: asked.output, unseen: member.first ? leftOut(context) : [] }),
  ];
}

/** The hosts of the inventory that --limit leaves out. */
function leftOut({ hosts, allHosts }: Context): string[] {
  const run = new Set(hosts.map(({ name }) => name));
  return allHosts.flatMap(({ name }) => (run.has(name) ? [] : [name]));
}

/** Refuses a run without the first server, which takes the etcd snapshot and is upgraded before the other servers. */
export function withFirst(context: Context): Node {
  const { first, member } = placeOf(context);
  return t.assert(
    {
      that: [
        {
          check: member.first || !leftOut(context).includes(first.name),
          message: `${first.name}, the first server, is not in this run, but it must take the etcd snapshot before another server restarts`,
          hint: `Leave out --limit, or include ${first.name} in it`,
        },
      ],
    },
    { name: "the first server is in the run" },
  );
}

/**
 * Removes the record of an interrupted destruction from a host, because the cluster stays. Every play over all hosts
 * does this before nodes are touched, because a run that fails halfway would leave the record on the other hosts.
 */
export function stays(): Node {
  return t.file({ path: places.leaving, state: "absent" }, { name: "no destruction is recorded" });
}

/**
 * Creates bridges, installs the program that checks whether a host can run virtual machines, and refuses a host that
 * cannot.
 */
export function vmHostTasks({ vars, host, facts }: Context): Node[] {
  const needed = [...new Set(Object.values(vars.networks).map(({ bridge }) => bridge))];
  const { bridges, emulation, virtFailures } = vars;
  return [vmHost({ host: host.name, needed, bridges, like: [...facts.os.like], emulation, virtFailures })];
}

/**
 * Refuses a cluster with nodes that are not Ready or not in the inventory. The check runs for each host, from the
 * controller: with --limit, the first server might not be in the run.
 */
export function whole(context: Context, added?: string): Node[] {
  const { vars, allHosts } = context;
  const hosts = allHosts.map(({ name }) => name);
  return [clusterWhole({ kubeconfig: vars.kubeconfig, hosts, ...(added !== undefined && { added }) })];
}

/** Refuses to add a node that is not in the inventory or would create the cluster. */
export function addable({ vars: { node }, allHosts }: PlayContext<Parvester & { readonly node: string }>): Node {
  const host = allHosts.find(({ name }) => name === node);
  const isFirst = host !== undefined && placeOf({ host, allHosts }).member.first;
  return t.assert({
    that: [
      { check: host !== undefined, message: `${node} is not in the inventory`, hint: "Add the host to the inventory" },
      {
        check: !isFirst,
        message: `${node} is the first server of the inventory, which creates the cluster`,
        hint: "List an existing server of the cluster first in the inventory",
      },
    ],
  });
}

/** Takes a snapshot of etcd on the first server, once for each release. */
export function snapshot(context: Context): Node[] {
  const { version } = context.vars;
  if (!placeOf(context).member.first) return [];
  const name = `before-${version.replace("+", "-")}`;
  return [
    t.command(
      {
        command: [places.program, "etcd-snapshot", "save", "--name", name],
        unless: `ls ${places.snapshots}/${name}-*`,
        readOnly: true,
        reads: [`file:${places.snapshots}/**`],
        disturbs: [`file:${places.snapshots}/**`],
      },
      { name: `an etcd snapshot from before ${version}` },
    ),
  ];
}

/** Makes a host a node of the cluster, if the inventory lists it as a node of this kind. */
export function nodeTasks(context: Context, kind: "server" | "agent"): Node[] {
  const { vars, facts } = context;
  const { member, first } = placeOf(context);
  if (member.kind !== kind) return [];
  const { architecture } = facts;
  return [
    rke2Node({ rke2: vars, member, firstAddress: first.address, architecture }),
    ...(kind === "server" ? [virtctl({ kubevirt: vars.kubevirt, rke2: vars, architecture })] : []),
  ];
}

/** Manages what runs in the cluster. It calls the API from the controller, in the play of the first server. */
export function clusterTasks(context: Context): Node[] {
  const { vars } = context;
  const { member, first } = placeOf(context);
  if (!member.first) return [];
  const { kubeconfig: path, mirror, multus, emulation } = vars;
  const reached = reachedCluster({ kubeconfig: path });
  const kubeconfig = reached.output;
  return [
    kubeconfigThere({ kubeconfig: path }),
    reached,
    kubevirtStack({ kubeconfig, stack: vars, ...(mirror !== undefined && { mirror }), multus, emulation }),
    localVms({ kubeconfig, vms: vars, via: first.name, knownHosts: `${path}.known_hosts` }),
    parvesterNotes({ lines: summaryLines(vars, first.address) }),
  ];
}

/** What users should know at the end of a run. */
export function summaryLines({ kubeconfig, namespace, machines }: Parvester, address: string): string[] {
  const addressed = Object.entries(machines).flatMap(([name, { user, nics }]) =>
    nics.flatMap((nic) => (nic.address === undefined ? [] : [`${name}: ssh ${user}@${nic.address.split("/")[0]}`])),
  );
  const [first] = Object.keys(machines);
  return [
    `Kubernetes API: https://${address}:6443, with the kubeconfig ${kubeconfig}`,
    ...addressed,
    ...(first === undefined ? [] : [`console of a machine: virtctl --namespace ${namespace} console ${first}`]),
    "each volume is a directory on one node: machines cannot migrate to another node, and if a node is lost, so are its machines and all their data that you have not copied",
  ];
}
