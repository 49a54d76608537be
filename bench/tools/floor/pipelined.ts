import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Address, Link } from "../../../src/core/host/transport.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import type { Targets } from "../../hosts/targets.ts";
import type { Connection } from "./connection.ts";

/**
 * Connects as furrow does: uses the same handshake, starts with the key that was accepted last time, and ends the
 * connection the same way.
 */
export function connectingQuickly(targets: Targets): (host: Targets["hosts"][number]) => Promise<Connection> {
  const file = join(targets.folder, "floor-logins.json");
  const logins = rememberedIn(file);
  const transport = new SshTransport();
  transport.rememberIn(logins);
  return async ({ name, address, port }) => {
    const where: Address = {
      name,
      transport: "ssh",
      address,
      port,
      user: "root",
      identityFiles: [targets.identityFile],
      identitiesOnly: true,
      jump: [],
      hostKeyPolicy: "strict",
      knownHostsFiles: [targets.knownHostsFile],
      connectTimeoutSeconds: 30,
      keepaliveSeconds: 0,
    };
    const link = await transport.connect(where, new AbortController().signal);
    const end = (): void => {
      writeFileSync(file, JSON.stringify([...logins]));
      void link.close();
    };
    return { run: (command, input) => run(link, command, input), end };
  };
}

function rememberedIn(file: string): Map<string, string> {
  try {
    return new Map(JSON.parse(readFileSync(file, "utf8")) as [string, string][]);
  } catch {
    return new Map();
  }
}

async function run(link: Link, command: string, input: string | Readable): Promise<string> {
  const channel = await link.exec(command);
  let answer = "";
  channel.onStdout((data) => void (answer += Buffer.from(data).toString("utf8")));
  channel.onStderr((data) => void process.stderr.write(data));
  const sent = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const data of source) await channel.write(data);
  };
  if (typeof input === "string") await channel.write(Buffer.from(input));
  else await pipeline(input, sent);
  channel.end();
  const { code } = await channel.ended;
  if (code !== 0) throw new Error(`exit ${code}: ${command}`);
  return answer;
}
