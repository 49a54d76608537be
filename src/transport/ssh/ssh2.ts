import { createRequire } from "node:module";
import type ssh2 from "ssh2";
import { type Patches, patchesFor } from "./patches/index.ts";

/** What is used of ssh2. */
export type Ssh2 = Pick<typeof ssh2, "Client" | "OpenSSHAgent"> & {
  readonly utils: Pick<typeof ssh2.utils, "parseKey">;
  /** Undefined where ssh2 is used as it is: more round trips and more CPU time, the same results. */
  readonly patches: Patches | undefined;
};

let loaded: Ssh2 | undefined;

/**
 * ssh2, loaded when the first connection is made, and of it only what is used: its main module also loads a server and
 * two agents for HTTP, which takes a third of the time of the whole. With `FURROW_SSH2=plain` in the environment, and
 * where ssh2 is not the version that the patches are for, it is used as it is.
 */
export async function loadSsh2(): Promise<Ssh2> {
  loaded ??= process.env["FURROW_SSH2"] === "plain" ? undefined : patched();
  loaded ??= { ...(await import("ssh2")).default, patches: undefined };
  return loaded;
}

/** Undefined where this version has its parts elsewhere, or other ones. */
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
