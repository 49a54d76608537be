import type { Duplex } from "node:stream";
import type { Client, ClientChannel } from "ssh2";
import { HeadStart } from "./head-start.ts";
import { insideOf, outputIsComplete, softwareOf } from "./inside.ts";
import { keepKeys } from "./kept-keys.ts";
import { makeLeanPackets } from "./lean-packets.ts";
import { leaveOtherKeys, loginAtOnce } from "./login-at-once.ts";
import { signAtOnce } from "./sign-at-once.ts";

/** Patches to ssh2's internals that make ssh2 faster. They are optional: without them the results are the same. */
export interface Patches {
  /** Patches a client that connects over `stream`. Call this right after the client's `connect`. */
  apply(client: Client, stream: Duplex): HeadStart;
  /** The server's software as given in its first line: `OpenSSH_9.2p1`. */
  softwareOf(client: Client): string;
  /** True once the host has reported the end of a process's output. */
  outputIsComplete(stream: ClientChannel): boolean;
}

/** All patches, for the version of ssh2 that they were written for. */
export const patches: Patches = {
  apply: (client, stream) => {
    signAtOnce(client);
    keepKeys(client);
    makeLeanPackets(client, stream);
    const inside = insideOf(client);
    loginAtOnce(inside);
    leaveOtherKeys(inside);
    return new HeadStart(client, inside);
  },
  softwareOf,
  outputIsComplete,
};
