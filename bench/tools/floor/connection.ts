import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import ssh2 from "ssh2";
import type { Targets } from "../../hosts/targets.ts";

/** One ssh2 connection. */
export interface Connection {
  /** Runs a command with the given stdin. Returns its output. Throws if it does not exit with 0. */
  run(command: string, input: string | Readable): Promise<string>;
  end(): void;
}

/** Connects to a host with a key, and verifies the host's key. */
export function connectTo(host: Targets["hosts"][number], targets: Targets): Promise<Connection> {
  const known = readFileSync(targets.knownHostsFile, "utf8").split("\n");
  const address = host.port === 22 ? host.address : `[${host.address}]:${host.port}`;
  const isKnown = (key: Buffer): boolean =>
    known.some((line) => line.startsWith(`${address} `) && line.includes(key.toString("base64")));
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.once("error", reject);
    client.once("ready", () =>
      resolve({ run: (command, input) => run(client, command, input), end: () => void client.end() }),
    );
    client.connect({
      host: host.address,
      port: host.port,
      username: "root",
      privateKey: readFileSync(targets.identityFile),
      authHandler: ["publickey"],
      hostVerifier: isKnown,
    });
  });
}

function run(client: ssh2.Client, command: string, input: string | Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, stream) => {
      if (error) return reject(error);
      let answer = "";
      let code: number | null = null;
      stream.on("data", (data: Buffer) => (answer += data.toString("utf8")));
      stream.stderr.on("data", (data: Buffer) => process.stderr.write(data));
      stream.once("exit", (status: number | null) => (code = status));
      stream.once("close", () => (code === 0 ? resolve(answer) : reject(new Error(`exit ${code}: ${command}`))));
      if (typeof input === "string") stream.end(input);
      else input.pipe(stream);
      return undefined;
    });
  });
}
