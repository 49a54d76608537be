import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { forwardingScript } from "./forwarding-allowed.ts";

test.each([
  ["allowtcpforwarding yes\ndisableforwarding no", false],
  ["allowtcpforwarding local\ndisableforwarding no", false],
  ["allowtcpforwarding no\ndisableforwarding no", true],
  ["allowtcpforwarding remote\ndisableforwarding no", true],
  ["allowtcpforwarding yes\ndisableforwarding yes", true],
  [undefined, false],
])("an sshd with the settings %j counts as refusing to forward connections: %s", (said, isForbidden) => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-sshd-"));
  try {
    const answer = said === undefined ? "exit 127" : `[ "$1" = -T ] && echo '${said}'`;
    writeFileSync(join(folder, "sshd"), `#!/bin/sh\n${answer}\n`);
    chmodSync(join(folder, "sshd"), 0o755);
    const { status } = spawnSync("sh", ["-c", forwardingScript], { env: { PATH: `${folder}:/usr/bin:/bin` } });
    expect(status === 0).toBe(isForbidden);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
