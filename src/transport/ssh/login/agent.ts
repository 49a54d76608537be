import type { BaseAgent, ParsedKey } from "ssh2";
import { loadSsh2 } from "../ssh2.ts";

/** Which of an agent's keys are offered. */
export interface AgentFilter {
  /** Keys in wire format; undefined means all. */
  readonly only: readonly Buffer[] | undefined;
  /** Keys that were offered in another way already. */
  readonly except: readonly Buffer[];
  /** Called with a label for each key that is about to be offered. */
  readonly offering: (label: string) => void;
}

/** An agent that shows only the keys a connection may offer: every needless one counts as a failed attempt on the host. */
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
