import {
  absent,
  type Absent,
  file,
  peek,
  type PinnedKubeconfig,
  refuse,
  type Refusal,
  task,
  text,
  z,
} from "../../src/authoring.ts";
import { kubeconfigFile, type KubeconfigFile } from "../../src/facts/catalogue.ts";
import { askCluster } from "../cluster-answers/answers.ts";
import { askObject } from "../cluster-answers/one-object.ts";
import { fingerprintPath, maintenanceMarker } from "../cluster/places.ts";
import { accountIn, notAsked, otherNames, otherVersion, versionPath } from "./answers.ts";
import { driftOf, otherIdentity, readFingerprint, recordsIn, recordText } from "./fingerprint.ts";
import { foreignIn, foreignKubeconfig } from "./foreign-kubeconfig.ts";
import { notReplaceable } from "./other-kubeconfig.ts";
import { digestIn, oddAnswer, servedAuthority, shortName, supervisorOpen, supervisorPort } from "./served.ts";

/** The params of a node to compare. */
export const askedParams = z.strictObject({
  name: z.string(),
  version: z.string(),
  token: text(),
  password: text(),
  config: z.record(z.string(), text()),
});

const params = z.strictObject({
  nodes: z.array(askedParams).min(1).describe("The nodes, and what they must be installed with"),
  vip: z.string().describe("The cluster's virtual address"),
  bridge: z.string().describe("Bridge of the nodes' network"),
  version: z.string().describe("Requested Harvester version"),
  kubeconfig: z.string().optional().describe("The cluster's kubeconfig on the controller"),
  installs: z.boolean().describe("The play installs nodes, so the version must be the one that the cluster runs"),
  needsKubeconfig: z.boolean().describe("The play uses the kubeconfig, so it must be for this cluster"),
  acts: z
    .boolean()
    .default(false)
    .describe(
      "The play changes the cluster with the kubeconfig, so a record or the served CA must show which cluster the kubeconfig is for",
    ),
  replaces: z
    .strictObject({ publicAddress: z.string() })
    .optional()
    .describe("The play stores the cluster's kubeconfig, which reaches it at this address"),
  upgrades: z
    .boolean()
    .default(false)
    .describe("The play upgrades the cluster, so the versions differ until it has finished"),
  proves: z
    .boolean()
    .default(false)
    .describe("The next tasks must not run on a different cluster, so a cluster that cannot be compared is refused"),
});

type Params = z.output<typeof params>;

/**
 * Refuses to work with any cluster but the one that was first deployed: compares node names, version, certificate
 * authority and fingerprints, as far as the cluster answers; a note says what could not be compared. Reports changed
 * vars that the installer will never read again.
 */
export const sameCluster = task({
  name: "sameCluster",
  summary: "Refuse any cluster but the one that was first deployed",
  params,
  examples: [],
  title: () => "the cluster is the one that was first deployed here",
})
  .facts((p) => ({
    records: p.nodes.map(({ name }) => file(fingerprintPath(name), ["text"])),
    open: supervisorOpen(p),
    ...(p.kubeconfig !== undefined && { copy: kubeconfigFile(p.kubeconfig) }),
  }))
  .facts((p, { open }) => ({ ...(open.open && { authority: servedAuthority(p) }) }))
  .facts((p, { copy, authority }) => {
    // A kubeconfig for a different cluster says nothing about this one. A kubeconfig that would do more than log in to
    // the API is not used.
    if (p.kubeconfig === undefined || copy === undefined || notOfCluster(p, copy, digestIn(authority)) !== undefined)
      return {};
    return { running: askObject(p.kubeconfig, versionPath), nodes: askCluster(p.kubeconfig, "nodes").nodes };
  })
  .want((p, { records, open, authority, copy, running, nodes }) => {
    for (const [at, node] of p.nodes.entries()) {
      const recorded = recordText(peek(records, at));
      if (recorded === undefined) continue;
      const found = readFingerprint(recorded);
      if (found === undefined) return unreadable(node.name);
      const other = otherIdentity(found, node);
      if (other !== undefined) return otherNode(node.name, other);
    }
    const known = recordsIn(records);
    const first = known[0]?.ca;
    const served = digestIn(authority);
    if (known.some(({ ca }) => ca !== first)) return mixed(p);
    if (open.open && served === undefined && first !== undefined) return noAuthority(p, oddAnswer(authority));
    if (first !== undefined && served !== undefined && served !== first) return otherCluster(p, served, first);
    const ca = served ?? first;
    if (p.needsKubeconfig && copy !== undefined && copy !== absent && ca !== undefined && copy.ca !== ca)
      return otherKubeconfig(p, copy, ca);
    if (p.acts && ca === undefined) return unprovenKubeconfig(p);
    const kept =
      p.replaces === undefined || copy === undefined || copy === absent
        ? undefined
        : notReplaceable(p.kubeconfig ?? "", copy, ca, p.replaces.publicAddress);
    if (kept !== undefined) return kept;
    const doubt = p.proves && (served === undefined || served !== first) ? unproven(p, copy, served) : undefined;
    if (doubt !== undefined) return doubt;
    const foreign = foreignIn(copy);
    if (p.needsKubeconfig && foreign !== undefined) return foreignKubeconfig(p.kubeconfig ?? "", foreign);
    const own = accountIn({ nodes, running });
    const version = own.version ?? (open.open ? undefined : known[0]?.version);
    const other = otherNames(p, own.names) ?? (p.installs ? otherVersion(p, version) : undefined);
    return other === undefined ? {} : refuse(other);
  })
  .steps(() => [])
  .outputs((p, { records, authority }): PinnedKubeconfig => ({
    path: p.kubeconfig ?? "",
    authority: digestIn(authority) ?? recordsIn(records)[0]?.ca ?? "",
  }))
  .notes((p, { records, open, authority, copy, running, nodes }) => {
    const { version, unseen } = accountIn({ nodes, running });
    // A cluster that is off, but has a record, was compared as far as possible.
    const isUnproven = p.needsKubeconfig && copy !== absent && recordsIn(records).length === 0;
    const why =
      copy !== undefined && (open.open || isUnproven) ? notOfCluster(p, copy, digestIn(authority)) : undefined;
    const missing = why === undefined ? unseen : [notAsked(why)];
    return [
      ...p.nodes.flatMap((node, at) => {
        const found = readFingerprint(recordText(peek(records, at)) ?? "");
        const drift = found === undefined ? [] : driftOf(found, node);
        return drift.map(
          ({ what, current, expected }) =>
            `${what} of ${node.name} stays as installed: ${current}; now requested: ${expected}`,
        );
      }),
      ...(version !== undefined && version !== p.version && !p.upgrades
        ? [`the cluster runs ${version}; the var version is still ${p.version}`]
        : []),
      ...(missing.length > 0
        ? [`node names and version were compared only in part, because of missing answers: ${missing.join("; ")}`]
        : []),
    ];
  });

/** Returns why a kubeconfig cannot be used to query the cluster with this CA certificate; undefined if it can. */
function notOfCluster(
  { kubeconfig = "", vip }: Params,
  copy: Absent | KubeconfigFile,
  served: string | undefined,
): string | undefined {
  if (copy === absent) return `${kubeconfig} does not exist on the controller`;
  if (copy.foreign !== undefined) return `${kubeconfig} has ${copy.foreign}`;
  if (served === undefined) return `nothing shows that ${kubeconfig} is for the cluster at ${vip}`;
  return copy.ca !== "" && copy.ca === served
    ? undefined
    : `${kubeconfig} has a different certificate authority from the cluster at ${vip}`;
}

/** Refuses a cluster without any record, unless its kubeconfig contains the CA certificate that the cluster serves. */
function unproven(
  p: Params,
  copy: Absent | KubeconfigFile | undefined,
  served: string | undefined,
): Refusal | undefined {
  const own = copy === undefined || copy === absent || copy.foreign !== undefined || copy.ca === "" ? undefined : copy;
  if (own !== undefined && served !== undefined) return own.ca === served ? undefined : otherKubeconfig(p, own, served);
  const missing = served === undefined ? "a CA certificate that it serves" : "a record of a node, or a kubeconfig";
  return refuse({
    code: "unproven-cluster",
    message: `the cluster at ${p.vip} cannot be compared with the one that was deployed here`,
    current: `without ${missing}`,
    expected: "the CA certificate of that cluster",
    hint: `Check at https://${p.vip} whether it is the right one; if so, remove ${maintenanceMarker} on the host to end the maintenance`,
  });
}

/** Refuses to use a kubeconfig if nothing shows which cluster it is for. */
function unprovenKubeconfig({ kubeconfig = "", vip, nodes }: Params): Refusal {
  return refuse({
    code: "unproven-kubeconfig",
    message: `nothing shows that the kubeconfig ${kubeconfig} is for the cluster on this host`,
    current: `no record of a node, and no CA certificate at https://${vip}:${supervisorPort}/cacerts`,
    expected: `a record such as ${fingerprintPath(nodes[0]?.name ?? "")}, or that certificate`,
    hint: "Start the cluster with harvester-restart and rerun: a running cluster serves its CA certificate; the harvester playbook then records it",
  });
}

function unreadable(name: string): Refusal {
  const path = fingerprintPath(name);
  return refuse({
    code: "unreadable-fingerprint",
    message: `${path} records how ${name} was installed, but cannot be read`,
    hint: `Restore it from a backup, or delete it: furrow then records the vars of the next run`,
  });
}

function otherNode(name: string, { what, current, expected }: ReturnType<typeof otherIdentity> & object): Refusal {
  return refuse({
    code: "other-cluster",
    message: `${name} on this host was installed with a different ${what}, not the one in the vars: it is a node of another cluster`,
    current,
    expected,
    hint: "Set the vars with which it was installed, or delete that cluster first: harvester-destroy with removeDisks=true",
  });
}

function mixed({ nodes }: Params): Refusal {
  return refuse({
    code: "other-cluster",
    message: `the nodes ${nodes.map(({ name }) => name).join(", ")} on this host belong to different clusters`,
    hint: "Find the node that is not in the cluster (harvester-status), and reinstall it with harvester-replace-node",
  });
}

function noAuthority({ vip }: Params, current: string): Refusal {
  return refuse({
    code: "no-authority",
    message: `the cluster at ${vip} does not serve its CA certificate, so it cannot be told apart from another one`,
    current,
    expected: "a certificate at /cacerts",
    hint: "Wait until the nodes have started, and rerun",
  });
}

function otherCluster({ vip, nodes }: Params, served: string, first: string): Refusal {
  return refuse({
    code: "other-cluster",
    message: `the cluster that answers at ${vip} is not the one in which ${nodes[0]?.name ?? "the first node"} was installed`,
    current: shortName(served),
    expected: shortName(first),
    hint: "Find out which machine has that address; if the nodes were reinstalled by hand, run harvester-destroy with removeDisks=true, and deploy again",
  });
}

function otherKubeconfig({ kubeconfig = "" }: Params, copy: KubeconfigFile, ca: string): Refusal {
  return refuse({
    code: "other-kubeconfig",
    message: `the kubeconfig ${kubeconfig} is for another cluster, the one at ${copy.server}`,
    current: copy.ca === "" ? "a kubeconfig without a certificate authority" : shortName(copy.ca),
    expected: shortName(ca),
    hint: "Fetch it again with the harvester playbook, or set kubeconfig.to to the file for this cluster",
  });
}
