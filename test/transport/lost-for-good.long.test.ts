import { afterAll, expect, test } from "vitest";
import { openFrameSession } from "../../src/transport/frame/session/session.ts";
import { SshTransport } from "../../src/transport/ssh/ssh.ts";
import { startProxy } from "./ssh/proxy.ts";
import { addressOf, makeKey, removeFolders, startSshd, temporaryFolder } from "./sshd.ts";

afterAll(removeFolders);

test("a host that never comes back fails with an error that names the lost connection and the task", async () => {
  const { signal } = new AbortController();
  const key = makeKey(temporaryFolder(), "id");
  const sshd = await startSshd({ authorizedKeys: [key] });
  const proxy = await startProxy(sshd.port);
  const transport = new SshTransport();
  const address = addressOf(proxy.port, { identityFiles: [key], keepaliveSeconds: 1 });
  const link = await transport.connect(address, signal);
  const relink = (again: AbortSignal): ReturnType<typeof transport.connect> => transport.connect(address, again);
  const about = { host: "web1", user: "root", become: undefined, reconnectSeconds: 3, signal };
  const session = await openFrameSession({ ...about, link, relink });
  const begun = Promise.withResolvers<undefined>();
  const told: string[] = [];
  const script = { step: "run", argv: ["sh", "-c", "echo begun; sleep 2"] } as const;
  const frame = session.frame(
    { items: [{ item: "steps", task: "drop ssh", steps: [script] }] },
    { output: () => begun.resolve(undefined), lost: (text) => void told.push(text) },
    signal,
  );
  frame.catch(() => {});
  await begun.promise;
  proxy.refuse(true);
  proxy.cut();
  await expect(frame).rejects.toMatchObject({
    code: "E_UNREACHABLE",
    failure: {
      what: expect.stringMatching(/^the connection was lost during the task, and could not be restored within \d+ s$/),
      where: { host: "web1", task: "drop ssh" },
    },
  });
  expect(told).toEqual([expect.stringMatching(/^connection lost.*, reconnecting for up to 3 s$/)]);
  await session.close();
  await proxy.close();
  await sshd.stop();
}, 600_000);
