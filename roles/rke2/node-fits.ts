import { absent, certificateDigest, file, match, refuse, type Refusal, task, text, z } from "../../src/authoring.ts";
import { kubeconfigFile } from "../../src/facts/catalogue.ts";
import { authorityOf, places } from "./config.ts";
import { notAsked } from "./first-authority.ts";

const params = z.strictObject({
  name: z.string().describe("Name of the node: the host's name in the inventory"),
  kind: z.enum(["server", "agent"]).describe("Kind of the node in the cluster"),
  first: z.boolean().describe("Whether this node is the server that creates the cluster"),
  servers: z.int().describe("Number of servers in the inventory"),
  version: z.string().describe("Requested release of RKE2"),
  token: text().describe("Secret that nodes use to join"),
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  installed: z.string().describe("Output of the installed `rke2 --version`; empty if RKE2 is not installed"),
  upgrades: z.boolean().default(false).describe("Whether the play changes the release"),
  removes: z
    .boolean()
    .default(false)
    .describe("Whether the play removes the cluster, whatever its release and token are"),
  joins: z.boolean().default(true).describe("Whether the play may make the host a node; otherwise it must be one"),
  firstAuthority: z
    .string()
    .default(notAsked)
    .describe("Digest of the authority of the first server's cluster; empty if it has none"),
  unseen: z
    .array(z.string())
    .default([])
    .describe("Hosts of the inventory that --limit leaves out of a run that may create a cluster"),
});

type Params = z.output<typeof params>;

/**
 * Refuses a host that cannot be, or stay, a node of this cluster: one whose cluster, kind, token or release is
 * different, and a first server that would create a second cluster.
 */
export const nodeFits = task({
  name: "nodeFits",
  summary: "Refuse a host that cannot be a node of this cluster",
  params,
  examples: [],
  title: ({ name, kind }) => `${name} can be ${kind === "server" ? "a server" : "an agent"} of this cluster`,
})
  .facts((p) => ({
    serverAuthority: file(places.serverAuthority, ["text"]),
    agentAuthority: file(places.agentAuthority, ["text"]),
    token: file(places.token, ["hidden"], { secret: true }),
    copy: kubeconfigFile(p.kubeconfig),
  }))
  .want((p, { serverAuthority, agentAuthority, token, copy }) => {
    const unfit = nameRefusal(p) ?? (p.removes ? undefined : releaseRefusal(p));
    if (unfit !== undefined) return unfit;
    const [isServer, isAgent] = [serverAuthority !== absent, agentAuthority !== absent && serverAuthority === absent];
    if (p.kind === "server" ? isAgent : isServer) return otherKind(p);
    const own = p.kind === "server" ? serverAuthority : agentAuthority;
    if (own === absent) {
      if (!p.joins) return notJoined(p);
      if (!p.first || p.removes) return {};
      if (copy !== absent) return secondCluster(p);
      return p.unseen.length > 0 ? othersUnseen(p) : {};
    }
    const digest = "text" in own && own.text !== undefined ? certificateDigest(own.text) : undefined;
    if (digest === undefined) return unreadable(p);
    if (copy !== absent && copy.ca !== digest) return otherCluster(p, digest, copy.ca);
    if (p.removes) return {};
    if (copy === absent && p.firstAuthority === "") return firstLost(p);
    if (copy === absent && p.firstAuthority !== notAsked && p.firstAuthority !== digest)
      return otherThanFirst(p, digest);
    const known = token !== absent && "text" in token ? token.text : undefined;
    if (known !== undefined && match(known, `${p.token}\n`) !== "same") return otherToken(p);
    return {};
  })
  .steps(() => [])
  .notes(({ first, servers }) =>
    first && servers % 2 === 0
      ? [`${servers} servers tolerate no more failures than ${servers - 1}: use an odd number`]
      : [],
  );

function nameRefusal({ name, servers }: Params): Refusal | undefined {
  if (servers === 0)
    return refuse({
      code: "no-server",
      message: "all hosts are in the group agents, so no host would be a server",
      hint: "Remove at least one host from the group agents",
    });
  // Kubernetes does not accept other names for nodes.
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) return undefined;
  return refuse({
    code: "no-node-name",
    message: `${name} cannot be the name of a node`,
    expected: "lower-case letters, digits, dashes and dots",
    hint: "Rename the host in the inventory",
  });
}

/** The release in the output of `rke2 --version`: `rke2 version v1.28.11+rke2r1 (hash)`. */
export function releaseIn(output: string): string | undefined {
  return /\brke2 version (v\d+\.\d+\.\d+\+rke2r\d+)\b/.exec(output)?.[1];
}

function releaseRefusal({ name, installed, version, upgrades }: Params): Refusal | undefined {
  if (installed.trim() === "") return undefined;
  const current = releaseIn(installed);
  if (current === undefined)
    return refuse({
      code: "unknown-release",
      message: `${places.program} on ${name} does not report its release`,
      current: installed.trim().slice(0, 80),
      hint: `Find out what it is; remove it if it is not RKE2's own program`,
    });
  if (current === version) return undefined;
  if (!upgrades)
    return refuse({
      code: "other-release",
      message: `${name} runs a different release of RKE2`,
      current,
      expected: version,
      hint: `Set version: "${current}", or upgrade the cluster with parvester-upgrade`,
    });
  return pathRefusal(name, current, version);
}

/** The parts of a release, the most significant first. */
function partsOf(release: string): readonly [number, number, number, number] {
  const [major = 0, minor = 0, patch = 0, build = 0] = [...release.matchAll(/\d+/g)]
    .map(([digits]) => Number(digits))
    // The 2 in "rke2r1" does not count.
    .filter((_, index) => index !== 3);
  return [major, minor, patch, build];
}

/** Kubernetes supports neither a downgrade nor skipping a minor version. */
function pathRefusal(name: string, current: string, version: string): Refusal | undefined {
  const [from, to] = [partsOf(current), partsOf(version)];
  const differing = from.findIndex((part, index) => part !== to[index]);
  const back = (to[differing] ?? 0) < (from[differing] ?? 0);
  const skips = from[0] !== to[0] || to[1] - from[1] > 1;
  if (!back && !skips) return undefined;
  return refuse({
    code: "no-upgrade-path",
    message: back ? `${name} cannot go back to an older release` : `${name} cannot skip a minor version of Kubernetes`,
    current,
    expected: back ? "a newer release" : `a release of v${from[0]}.${from[1] + 1}`,
    hint: back ? "Set the installed release, or a newer one" : "Upgrade to each minor version in turn",
  });
}

function otherKind({ name, kind }: Params): Refusal {
  const [is, shall] = kind === "server" ? ["an agent", "a server"] : ["a server", "an agent"];
  return refuse({
    code: "other-kind",
    message: `${name} is ${is} of a cluster, and cannot become ${shall}`,
    hint: "Correct the group agents in the inventory; to change a node's kind, remove it and add it back",
  });
}

function notJoined({ name }: Params): Refusal {
  return refuse({
    code: "no-node",
    message: `${name} is not a node of a cluster yet`,
    hint: "Make it a node with parvester or parvester-add-node",
  });
}

function secondCluster({ name, kubeconfig }: Params): Refusal {
  return refuse({
    code: "second-cluster",
    message: `${name} has no RKE2 data, so it would create a second cluster, but ${kubeconfig} is for an existing one`,
    hint: `List a server of that cluster first in the inventory; if the cluster no longer exists, delete ${kubeconfig}`,
  });
}

function othersUnseen({ name, unseen }: Params): Refusal {
  return refuse({
    code: "second-cluster",
    message: `${name} has no RKE2 data, so it would create a cluster, and --limit hides whether there is one on ${unseen.join(", ")}`,
    hint: "Leave out --limit; to start with fewer hosts, list only these in the inventory",
  });
}

function firstLost({ name, kubeconfig }: Params): Refusal {
  return refuse({
    code: "second-cluster",
    message: `${name} is a node of a cluster, but the first server has no RKE2 data, so it would create a second one`,
    hint: `List a server of that cluster first in the inventory, or restore its kubeconfig as ${kubeconfig}; if the cluster no longer exists, remove what is left of it with parvester-destroy`,
  });
}

function otherThanFirst({ name, firstAuthority }: Params, current: string): Refusal {
  return refuse({
    code: "other-cluster",
    message: `${name} and the first server are nodes of different clusters`,
    current: `the authority ${current.slice(0, 16)}`,
    expected: `the authority ${firstAuthority.slice(0, 16)}`,
    hint: "Decide which of the two clusters to keep, and remove the other one's host from its cluster",
  });
}

function unreadable({ name, kind }: Params): Refusal {
  return refuse({
    code: "no-authority",
    message: `${authorityOf(kind)} on ${name} has no certificate, so its cluster is unknown`,
    hint: "Find out what has changed the file; RKE2 keeps the certificate of the cluster there",
  });
}

function otherCluster({ name, kubeconfig }: Params, current: string, expected: string): Refusal {
  return refuse({
    code: "other-cluster",
    message: `${name} is not a node of the cluster that ${kubeconfig} is for`,
    current: `the authority ${current.slice(0, 16)}`,
    expected:
      expected === ""
        ? "a certificate authority in the kubeconfig, which contains none"
        : `the authority ${expected.slice(0, 16)}`,
    hint: "Use the inventory and the kubeconfig of one cluster",
  });
}

function otherToken({ name }: Params): Refusal {
  return refuse({
    code: "other-token",
    message: `${name} has joined its cluster with a different token`,
    current: "a different token",
    expected: "the token in the vars",
    hint: "Set the token with which the cluster was created: RKE2 encrypts its data with it, and furrow does not rotate it",
  });
}
