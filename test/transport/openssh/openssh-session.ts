import { onTestFinished } from "vitest";
import type { FrameItem, Session } from "../../../src/core/host/frame.ts";
import type { Address, Link } from "../../../src/core/host/transport.ts";
import { openFrameSession } from "../../../src/transport/frame/session/session.ts";
import { OpensshTransport } from "../../../src/transport/openssh/openssh.ts";
import { user } from "../ssh/certified.ts";

/** A step that runs a script, which may exit with 0 or 3. */
export function steps(script: string): FrameItem {
  return { item: "steps", task: "t", steps: [{ step: "run", argv: ["sh", "-c", script], okExit: [0, 3] }] };
}

/**
 * Opens a session over the system's ssh. The session reconnects after a lost connection and closes when the test ends.
 */
export async function openSession(address: Address, signal: AbortSignal): Promise<Session> {
  const transport = new OpensshTransport();
  const link = await transport.connect(address, signal);
  const relink = (again: AbortSignal): Promise<Link> => transport.connect(address, again);
  const session = await openFrameSession({ host: "web1", link, relink, user, become: undefined, signal });
  onTestFinished(() => session.close());
  return session;
}
