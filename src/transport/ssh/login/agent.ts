import type { BaseAgent, ParsedKey } from "ssh2";
import { loadSsh2 } from "../ssh2.ts";

/** Determines which of an agent's keys are offered. */
export interface AgentFilter {
  /** Keys in wire format; undefined means all. */
  readonly only: readonly Buffer[] | undefined;
  /** Keys that were already offered in another way. */
  readonly except: readonly Buffer[];
  /** Called with the label of each key before it is offered. */
  readonly offering: (label: string) => void;
}

/** An agent that shows only the keys to offer. The host counts every unneeded key as a failed attempt. */
export async function filteredAgent(socket: string, filter: AgentFilter): Promise<BaseAgent<ParsedKey>> {
  const { OpenSSHAgent } = await loadSsh2();
  class FilteredAgent extends OpenSSHAgent {
    override getIdentities(callback: Parameters<InstanceType<typeof OpenSSHAgent>["getIdentities"]>[0]): void {
      super.getIdentities((error, keys) => {
        if (error !== undefined && error !== null) {
          callback(error);
          return;
        }
        const offered = ((keys ?? []) as ParsedKey[]).filter((key) => {
          const wire = key.getPublicSSH();
          const wanted = filter.only === undefined || filter.only.some((one) => one.equals(wire));
          return wanted && !filter.except.some((one) => one.equals(wire));
        });
        for (const key of offered) filter.offering(`agent key ${key.comment || key.type}`);
        callback(undefined, offered);
      });
    }
  }
  return new FilteredAgent(socket);
}
