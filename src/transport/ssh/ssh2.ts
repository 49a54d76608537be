import { createRequire } from "node:module";
import type ssh2 from "ssh2";
import { type Patches, patchesFor } from "./patches/index.ts";

/** The parts of ssh2 that furrow uses. */
export type Ssh2 = Pick<typeof ssh2, "Client" | "OpenSSHAgent"> & {
  readonly utils: Pick<typeof ssh2.utils, "parseKey">;
  /** Undefined if ssh2 runs unpatched: more round trips and more CPU time, the same results. */
  readonly patches: Patches | undefined;
};

let loaded: Ssh2 | undefined;

/**
 * Loads ssh2 when the first connection is made, and only the parts in use: its main module also loads a server and two
 * HTTP agents, which take a third of the whole loading time. ssh2 runs unpatched if `FURROW_SSH2=plain` is in
 * the environment, or if the patches are for a different version of ssh2.
 */
export async function loadSsh2(): Promise<Ssh2> {
  loaded ??= process.env["FURROW_SSH2"] === "plain" ? undefined : patched();
  loaded ??= { ...(await import("ssh2")).default, patches: undefined };
  return loaded;
}

/** Loads the parts of ssh2 in use and their patches. Undefined if the installed version cannot be patched. */
function patched(): Ssh2 | undefined {
  const require = createRequire(import.meta.url);
  const part = (path: string): unknown => require(`ssh2/${path}`);
  try {
    const { version } = part("package.json") as { readonly version: string };
    const { OpenSSHAgent } = part("lib/agent.js") as Pick<typeof ssh2, "OpenSSHAgent">;
    const { parseKey } = part("lib/protocol/keyParser.js") as Pick<typeof ssh2.utils, "parseKey">;
    const Client = part("lib/client.js") as typeof ssh2.Client;
    const patches = patchesFor(version, Client);
    return patches && { Client, OpenSSHAgent, utils: { parseKey }, patches };
  } catch {
    return undefined;
  }
}
