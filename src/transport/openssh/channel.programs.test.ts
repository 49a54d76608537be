import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { ChannelRefused } from "../../core/host/transport.ts";
import { opensshChannel } from "./channel.ts";

it("distinguishes a host that refuses another shell (MaxSessions 1) from a lost connection", async () => {
  const complaint = "mux_client_request_session: session request failed: Session open refused by peer";
  const child = spawn("sh", ["-c", `echo "${complaint}" >&2; exit 255`]);
  const link = { host: "web1", fate: () => Promise.resolve(undefined) };
  const channel = opensshChannel(child, link, { sent: 0, received: 0 });
  channel.onStdout(() => {});
  channel.onStderr(() => {});
  await expect(channel.ended).rejects.toMatchObject({
    code: "E_UNREACHABLE",
    failure: { cause: expect.any(ChannelRefused) as ChannelRefused },
  });
});
