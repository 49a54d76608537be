import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as t from "../../../../tasks/index.ts";
import { taskHost, type TaskHost } from "../../../../test/tasks/on-host.ts";

let holder: ChildProcess;
let host: TaskHost;

/** A namespace in which /usr and /etc are read-only, and the databases of dpkg and apt are copies that may change. */
const script = `mkdir -p /run/packages; mount -t tmpfs none /run/packages; cp -a /var/lib/dpkg /var/lib/apt /run/packages
for d in dpkg apt; do mount --bind "/run/packages/$d" "/var/lib/$d"; done
mount -t tmpfs none /var/log; mount -t tmpfs none /var/cache
for d in /etc /usr; do mount --bind "$d" "$d"; mount -o remount,bind,ro "$d"; done
echo mounted; exec sleep 600`;

beforeAll(async () => {
  holder = spawn("unshare", ["--mount", "--propagation", "private", "sh", "-ec", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout as Readable, "data");
  host = taskHost(["nsenter", `--target=${holder.pid}`, "--mount", "sh"]);
}, 600_000);
afterAll(() => holder.kill());

test("on a host whose /usr is read-only, the removal of a package fails in check mode and in a run", async () => {
  expect((await host.check(t.package({ name: "acl" }))).map(({ outcome }) => outcome)).toEqual(["ok"]);
  for (const mode of ["check", "apply"] as const) {
    const ends = await host[mode](t.package({ name: "acl", state: "absent" }));
    expect(ends.map(({ error }) => [mode, error?.code])).toEqual([[mode, "E_READ_ONLY"]]);
  }
}, 600_000);
