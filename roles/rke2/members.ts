import type { PlayContext, PlayHost } from "../../src/authoring.ts";
import type { Member } from "./config.ts";

/** The group whose hosts are agents. All other hosts are servers. */
export const agentGroup = "agents";

const isAgent = ({ groups }: PlayHost): boolean => groups.includes(agentGroup);

/** These hosts, servers first. */
export function serversFirst(hosts: readonly PlayHost[]): readonly PlayHost[] {
  return hosts.toSorted((one, other) => Number(isAgent(one)) - Number(isAgent(other)));
}

/** The role of a host in the cluster, and the first server. */
export interface Place {
  readonly member: Member;
  readonly first: PlayHost;
}

/** The role of a play's host. The first host of the inventory that is not an agent creates the cluster. */
export function placeOf({ host, allHosts }: Pick<PlayContext<unknown>, "host" | "allHosts">): Place {
  const first = allHosts.find((one) => !isAgent(one)) ?? host;
  return {
    member: { name: host.name, kind: isAgent(host) ? "agent" : "server", first: host.name === first.name },
    first,
  };
}
