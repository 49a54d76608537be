import { afterAll, beforeAll, expect, test } from "vitest";
import { ignoreAll } from "../../../src/core/host/frame.ts";
import { file } from "../../../src/facts/files/file.ts";
import { openFrameSession } from "../../../src/transport/frame/session/session.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import { loadSsh2 } from "../../../src/transport/ssh/ssh2.ts";
import { startLockstep, type Lockstep } from "../lockstep.ts";
import { addressOf, makeKey, removeFolders, startSshd, temporaryFolder } from "../sshd.ts";
import type { Sshd } from "../sshd.ts";

const { signal } = new AbortController();
const key = makeKey(temporaryFolder(), "id");
let sshd: Sshd;
let proxy: Lockstep;

beforeAll(async () => {
  process.env["FURROW_SSH2"] = "plain";
  sshd = await startSshd({ authorizedKeys: [key] });
  proxy = await startLockstep(sshd.port);
});
afterAll(async () => {
  delete process.env["FURROW_SSH2"];
  await proxy.close();
  await sshd.stop();
  removeFolders();
});

/**
 * Returns the answer to a session's only frame, and the number of answers for which the session waited from start to
 * end.
 */
async function wholeSession(transport: SshTransport): Promise<{ said: unknown; waits: number }> {
  const link = await transport.connect(addressOf(proxy.port, { identityFiles: [key] }), signal);
  const { user } = addressOf(proxy.port);
  const run = { id: "plain", holder: "anna@laptop", since: "2026-11-22T10:00:00Z", waitSeconds: undefined };
  const session = await openFrameSession({ host: "h", link, user, become: undefined, signal, run });
  const said = await session.frame(
    { items: [{ item: "read", questions: [file("/etc/hostname")] }] },
    ignoreAll,
    signal,
  );
  await session.close();
  await new Promise((resolve) => setTimeout(resolve, 600));
  return { said, waits: proxy.waits() };
}

test("a session with unpatched ssh2 gets the same answer in more round trips", async () => {
  expect((await loadSsh2()).patches).toBeUndefined();
  const transport = new SshTransport();
  await wholeSession(transport);
  const { said, waits } = await wholeSession(transport);
  expect(said).toMatchObject([{ item: "read", answers: [{ value: { type: "file" } }] }]);
  // With the patches, the number is three; see round-trips.host.test.ts.
  expect(waits).toBe(9);
});
