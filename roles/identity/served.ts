import {
  certificateDigest,
  type HostFact,
  type HttpAnswer,
  hostHttp,
  type Port,
  port,
  task,
  z,
} from "../../src/authoring.ts";

/**
 * The port of RKE2's supervisor on every server node (Harvester docs, "Port requirements"). Its path /cacerts serves
 * the cluster's CA certificate to everyone; joining nodes compare it with the one in their token.
 */
export const supervisorPort = 9345;

/** The address at which a cluster serves its CA certificate. */
export interface ServedAt {
  readonly vip: string;
  /** The bridge of the nodes' network: behind another interface, the same address would belong to another machine. */
  readonly bridge: string;
}

/** Checks whether the port on which a cluster serves its CA certificate is open. */
export function supervisorOpen({ vip, bridge }: ServedAt): HostFact<Port> {
  return port(vip, supervisorPort, bridge);
}

/**
 * Waits until a cluster serves its CA certificate. After a wait the facts are read again, so the next task does not use
 * an answer from before the cluster was up.
 */
export const authorityShown = task({
  name: "authorityShown",
  summary: "Wait until a cluster serves its CA certificate",
  params: z.strictObject({ node: z.string(), vip: z.string(), bridge: z.string() }),
  examples: [],
  title: ({ node }) => `the cluster of ${node} serves its CA certificate (port ${supervisorPort})`,
})
  .facts((p) => ({ open: supervisorOpen(p) }))
  .want(() => ({ open: { open: true } }))
  .wait(({ vip }) => ({
    intervalSeconds: 2,
    deadlineSeconds: 300,
    waitsFor: `${vip} to answer on port ${supervisorPort}`,
  }));

/**
 * Requests the cluster's CA certificate. Use this fact only if the port is open: otherwise, there may be no answer at
 * all.
 */
export function servedAuthority({ vip }: ServedAt): HostFact<HttpAnswer> {
  return hostHttp({ url: `https://${vip}:${supervisorPort}/cacerts`, timeoutSeconds: 10, insecure: true });
}

/** Returns the digest of the CA certificate in an answer; undefined if the answer is something else. */
export function digestIn(answer: HttpAnswer | undefined): string | undefined {
  return answer !== undefined && "status" in answer && answer.status === 200
    ? certificateDigest(answer.body)
    : undefined;
}

/** Describes an answer that contains no certificate. */
export function oddAnswer(answer: HttpAnswer | undefined): string {
  if (answer === undefined) return "nothing";
  return "error" in answer ? answer.error.message : `${answer.status} ${answer.body.trim().slice(0, 80)}`.trim();
}

/** Returns the name that messages use for a CA certificate: the beginning of its digest. */
export function shortName(ca: string): string {
  return `the authority ${ca.slice(0, 16)}`;
}
