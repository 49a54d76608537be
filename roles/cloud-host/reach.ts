import { refuse, task, z } from "../../src/authoring.ts";
import { sshReady } from "../../src/facts/catalogue.ts";

/** The vars that say how SSH reaches a cluster's host. */
export interface Reach<Tunnel extends string> {
  readonly publicAddress: boolean;
  readonly tunnel?: Tunnel | undefined;
  readonly proxyJump?: string | undefined;
  readonly insideNetwork: boolean;
  readonly manageFrom?: readonly string[] | undefined;
}

/** How SSH reaches a host: at an address, through a jump host, or through a tunnel of its cloud. */
export function reachOf<Tunnel extends string>(
  host: Reach<Tunnel>,
): Tunnel | "publicAddress" | "privateAddress" | "proxyJump" {
  if (host.tunnel !== undefined) return host.tunnel;
  if (host.proxyJump !== undefined) return "proxyJump";
  return host.insideNetwork ? "privateAddress" : "publicAddress";
}

/** The values of the tag `reach`. Compute Engine's labels cannot contain capital letters. */
const tags: Readonly<Record<string, string>> = {
  publicAddress: "public-address",
  privateAddress: "private-address",
  proxyJump: "jump-host",
  sessionManager: "session-manager",
  iap: "iap",
};

/** The tags or labels from which the cloud's inventory determines how to reach a host. */
export function reachTags<Tunnel extends string>(host: Reach<Tunnel>): Record<string, string> {
  return {
    reach: tags[reachOf(host)] ?? "",
    ...(host.proxyJump !== undefined && { "jump-host": host.proxyJump }),
  };
}

/** Refuses vars with which SSH could not reach the host. `tunnel`: the cloud's tunnel. */
export function refineReach(host: Reach<string>, context: z.RefinementCtx, tunnel: string): void {
  const issue = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
  const ways = [
    host.tunnel !== undefined && "tunnel",
    host.proxyJump !== undefined && "proxyJump",
    host.insideNetwork && "insideNetwork",
  ].filter((name) => name !== false);
  if (ways.length > 1) issue(ways[1] ?? "", `only one route to the machine, not ${ways.join(" and ")}`);
  if (!host.publicAddress && ways.length === 0) {
    issue(
      "publicAddress",
      `true, or a route to the private address: tunnel=${tunnel}, proxyJump=HOST, or insideNetwork=true if furrow runs inside the machine's network`,
    );
  }
  if (host.manageFrom?.length === 0 && host.tunnel === undefined)
    issue("manageFrom", "at least one network, because there is no tunnel");
  if ((host.proxyJump !== undefined || host.insideNetwork) && host.manageFrom === undefined) {
    const from = host.proxyJump === undefined ? "this machine" : "the jump host";
    issue("manageFrom", `the networks from which ${from} reaches the machine, like ["10.0.0.0/24"]`);
  }
}

/** True if logins are allowed from the controller's own public address, the default without `manageFrom`. */
export function needsOwnAddress(host: Reach<string>): boolean {
  return host.manageFrom === undefined && reachOf(host) === "publicAddress";
}

/**
 * Checks that this machine will be able to reach a host that does not exist yet, so that no unreachable host is
 * created.
 */
export const wayToHost = task({
  name: "wayToHost",
  summary: "Check that this machine can open a tunnel, or log in to the jump host",
  params: z.strictObject({
    tunnel: z.enum(["sessionManager", "iap"]).optional().describe("Tunnel that will be opened"),
    proxyJump: z.string().optional().describe("Jump host that will be used"),
  }),
  examples: [],
  title: ({ tunnel, proxyJump }) => `wayToHost ${tunnel ?? proxyJump ?? ""}`,
})
  .facts(({ tunnel, proxyJump }) => ({
    ...(tunnel !== undefined && { way: sshReady({ tunnel }) }),
    ...(tunnel === undefined && proxyJump !== undefined && { way: sshReady({ proxyJump }) }),
  }))
  .want((_p, { way }) =>
    way === undefined || way.open ? {} : refuse({ code: "no-way", message: way.said, hint: way.hint }),
  )
  .steps(() => []);
