import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { FurrowError } from "../../core/errors.ts";
import { type Channel, ChannelRefused } from "../../core/host/transport.ts";
import { localChannel, type Traffic } from "../local/channel.ts";

/** What a channel needs to know about its link. */
export interface LinkFate {
  readonly host: string;
  /** Checks the connection: undefined if it is up, `closed` if furrow closed it, otherwise why it was lost. */
  fate(): Promise<FurrowError | "closed" | undefined>;
}

/** ssh's exit code for a failed connection. A process on the host may also exit with this code. */
const sshFailed = 255;

/** A {@link Channel} over an ssh process that runs one process on the host over a link's connection. */
export function opensshChannel(child: ChildProcessWithoutNullStreams, link: LinkFate, traffic: Traffic): Channel {
  const process = localChannel(child, link.host, traffic);
  let destroyed = false;
  let complaint = "";
  child.stderr.on("data", (data: Buffer) => {
    if (complaint.length < 1000) complaint += data.toString("latin1");
  });
  const ended = process.ended.then(async (end) => {
    const unknown = { code: undefined, signal: undefined };
    if (destroyed) return unknown;
    if (end.code !== sshFailed) return end;
    const fate = await link.fate();
    if (fate === "closed") return unknown;
    if (fate !== undefined) throw fate;
    const [, refusal] = /^mux_client_request_session: session request failed: (.*?)\r?$/m.exec(complaint) ?? [];
    if (refusal !== undefined) throw refusedChannel(link.host, refusal);
    return end;
  });
  ended.catch(() => undefined);

  return {
    write: async (data) => {
      try {
        await process.write(data);
      } catch (error) {
        const fate = destroyed ? undefined : await link.fate();
        throw fate === undefined || fate === "closed" ? error : fate;
      }
    },
    end: () => process.end(),
    destroy: () => {
      destroyed = true;
      process.destroy();
    },
    onStdout: (listener) => process.onStdout(listener),
    onStderr: (listener) => process.onStderr(listener),
    ended,
  };
}

function refusedChannel(host: string, current: string): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `${host} refuses another channel on its connection`,
    where: { host },
    current,
    expected: "a session; sshd allows MaxSessions of them (10 by default)",
    hint: "Check MaxSessions, ForceCommand and PermitTTY in the host's sshd_config",
    cause: new ChannelRefused(current),
  });
}
