import type { NodeObject } from "../objects.ts";

/** The parts of a node that show whether its etcd member can be counted on. */
export type VotingNode = Pick<NodeObject, "name" | "votes" | "ready" | "isLeaving" | "conditions">;

/** A member of etcd: the node that it runs on, and whether etcd can count on its vote. */
export interface EtcdMember {
  readonly name: string;
  /** True if the node is up and RKE2 reports that its member votes; `unknown` if RKE2 has not reported it recently. */
  readonly isUp: boolean | "unknown";
  /** Why etcd cannot count on the member; undefined if it can, or if the whole node is down. */
  readonly why: string | undefined;
}

const voterCondition = "EtcdIsVoter";

/**
 * RKE2 on etcd's leader checks all members every 15 seconds, writes a change at once, and otherwise renews the
 * condition after five minutes (`heartbeatInterval` in pkg/etcd/etcd.go of k3s-io/k3s). A kubelet also renews its
 * conditions about every five minutes, or more often.
 */
const mostSilentMs = 10 * 60_000;

/**
 * Returns the members of etcd. The label of a node only says that it should vote, and its kubelet may be ready while
 * etcd is down, so RKE2's own condition decides. Its age is measured against the newest report of any node, because the
 * controller's clock may differ.
 */
export function etcdMembers(nodes: readonly VotingNode[]): EtcdMember[] {
  const times = nodes.flatMap(({ conditions }) => conditions.map(timeOf)).filter((time) => !Number.isNaN(time));
  const newest = Math.max(...times);
  return nodes.filter(({ votes }) => votes).map((node) => memberOf(node, newest));
}

function memberOf({ name, ready, isLeaving, conditions }: VotingNode, newest: number): EtcdMember {
  if (isLeaving) return { name, isUp: false, why: `${name} is being removed` };
  if (!ready) return { name, isUp: false, why: undefined };
  const condition = conditions.find(({ type }) => type === voterCondition);
  if (condition === undefined || condition.status === "Unknown")
    return { name, isUp: "unknown", why: `RKE2 does not report whether etcd runs on ${name}` };
  if (condition.status === "False") {
    const { reason, message } = condition;
    const words = [reason, message].filter((text) => text !== "").join(": ");
    return { name, isUp: false, why: `etcd on ${name} does not vote${words === "" ? "" : ` (${words})`}` };
  }
  const time = timeOf(condition);
  if (newest - time <= mostSilentMs) return { name, isUp: true, why: undefined };
  const since = Number.isNaN(time) ? "" : ` since ${condition.lastHeartbeatTime}`;
  return { name, isUp: "unknown", why: `RKE2 has not reported${since} whether etcd runs on ${name}` };
}

function timeOf({ lastHeartbeatTime }: VotingNode["conditions"][number]): number {
  return Date.parse(lastHeartbeatTime);
}

/** The reasons why etcd cannot count on members, as one string; empty if no member has a reason. */
export function memberTroubles(members: readonly EtcdMember[]): string {
  return members.flatMap(({ why }) => why ?? []).join(", ");
}

/** The members on which etcd can count, those on which it may be able to count, and how many it needs. */
export interface Votes {
  readonly up: number;
  readonly unknown: number;
  readonly of: number;
  readonly needed: number;
}

/** Counts the votes of etcd: more than half of all voting members must be up. */
export function countVotes(members: readonly EtcdMember[]): Votes {
  return {
    up: members.filter(({ isUp }) => isUp === true).length,
    unknown: members.filter(({ isUp }) => isUp === "unknown").length,
    of: members.length,
    needed: Math.floor(members.length / 2) + 1,
  };
}
