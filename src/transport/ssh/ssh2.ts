import { createRequire } from "node:module";
import type ssh2 from "ssh2";

/** What is used of ssh2. */
export type Ssh2 = Pick<typeof ssh2, "Client" | "OpenSSHAgent"> & {
  readonly utils: Pick<typeof ssh2.utils, "parseKey">;
};

let loaded: Ssh2 | undefined;

/**
 * ssh2, loaded when the first connection is made, and of it only what is used: its main module also loads a server and
 * two agents for HTTP, which takes a third of the time of the whole.
 */
export async function loadSsh2(): Promise<Ssh2> {
  loaded ??= inParts() ?? (await import("ssh2")).default;
  return loaded;
}

/** Undefined where a later version has its parts elsewhere. */
function inParts(): Ssh2 | undefined {
  const require = createRequire(import.meta.url);
  const part = (path: string): unknown => require(`ssh2/lib/${path}.js`);
  try {
    const { OpenSSHAgent } = part("agent") as Pick<typeof ssh2, "OpenSSHAgent">;
    const { parseKey } = part("protocol/keyParser") as Pick<typeof ssh2.utils, "parseKey">;
    return { Client: part("client") as typeof ssh2.Client, OpenSSHAgent, utils: { parseKey } };
  } catch {
    return undefined;
  }
}
