import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { watchTasks } from "../../test/tasks/on-host.ts";
import { chronySync } from "../chrony-sync/chrony-sync.ts";
import { chrony } from "./chrony.ts";

const missing = ["chronyd", "chronyc"].filter(
  (name) => spawnSync("sh", ["-c", `PATH=$PATH:/usr/sbin; command -v ${name}`]).status !== 0,
);
if (missing.length > 0) process.stderr.write("skipped without chrony: chronyd's own check and its clock\n");

describe.skipIf(missing.length > 0)("chrony", () => {
  let host: LoopHost;
  beforeAll(async () => {
    host = await loopHost();
    await host.sh("rm -rf /etc/chrony /etc/chrony.conf; mkdir /etc/chrony /run/chrony; chmod 700 /run/chrony");
  });
  afterAll(async () => {
    await host.sh("for f in /run/chrony/*.pid; do kill $(cat $f) || :; done").catch(() => "");
    await host.close();
  });

  const config = (): Promise<string> => host.sh("cat /etc/chrony/chrony.conf");
  const local = chrony({ servers: ["127.0.0.1"], allow: ["10.0.0.0/8"] });

  test("is refused without the package, in check mode and in a run", async () => {
    for (const [end] of [await host.check(local), await host.apply(local)])
      expect(end?.error?.failure).toMatchObject({
        details: ["refused: no-chrony"],
        hint: "Install the chrony package first",
      });
  });

  test("sets exactly the given sources and keeps other directives, as check mode predicted; a second run changes nothing", async () => {
    await host.sh(
      `printf 'pool 2.debian.pool.ntp.org iburst\\nrtcsync\\nsourcedir /etc/chrony/sources.d\\n' >/etc/chrony/chrony.conf`,
    );
    expect(await host.check(local)).toMatchObject([{ outcome: "changed" }]);
    expect(await config()).toContain("debian.pool");
    const [end] = await host.apply(local);
    expect(end).toMatchObject({ outcome: "changed", error: undefined });
    expect(end?.notes).toEqual([
      "chronyd also reads the files that this line includes: sourcedir /etc/chrony/sources.d",
    ]);
    expect(await config()).toBe(
      "rtcsync\nsourcedir /etc/chrony/sources.d\nserver 127.0.0.1 iburst\nallow 10.0.0.0/8\nmakestep 1 3\n",
    );
    expect(await host.apply(local)).toMatchObject([{ outcome: "ok", steps: [] }]);
    const [watched] = await watchTasks([...host.enter, "sh"], [chrony({ pools: ["ntp.example.org"] })]);
    expect(watched).toMatchObject({ outcome: "changed", error: undefined });
  });

  test("does not write a configuration that chronyd rejects", async () => {
    await host.sh("echo 'bogus 1' >>/etc/chrony/chrony.conf");
    const before = await config();
    const [end] = await host.apply(local);
    expect(JSON.stringify(end?.error)).toContain("Invalid directive");
    expect(await config()).toBe(before);
  });

  test("chronySync waits until a real chronyd follows its source", async () => {
    const sync = chronySync({ deadlineSeconds: 2, intervalSeconds: 1 });
    const [none] = await host.apply(sync);
    expect(none).toMatchObject({ outcome: "failed", error: { code: "E_WAIT" } });
    // Neither of these two instances of chronyd sets this machine's clock (-x); the second follows the first.
    await host.sh(`cat >/run/chrony/source.conf <<'END'
local stratum 5
port 11123
cmdport 0
allow 127.0.0.0/8
bindcmdaddress /
pidfile /run/chrony/source.pid
END
cat >/run/chrony/client.conf <<'END'
server 127.0.0.1 port 11123 iburst minpoll -2 maxpoll 0
port 0
cmdport 0
bindcmdaddress /run/chrony/chronyd.sock
pidfile /run/chrony/client.pid
END
cat >/run/chrony/alone.conf <<'END'
local stratum 10
port 0
cmdport 0
bindcmdaddress /run/chrony/chronyd.sock
pidfile /run/chrony/client.pid
END
PATH=$PATH:/usr/sbin
chronyd -x -U -u root -f /run/chrony/alone.conf >/dev/null 2>&1`);
    const [alone] = await host.apply(chronySync({ deadlineSeconds: 10 }));
    expect(alone).toMatchObject({ outcome: "failed", error: { code: "E_WAIT" } });
    expect(JSON.stringify(alone?.error)).toContain("this host's own clock");
    await host.sh(`kill "$(cat /run/chrony/client.pid)"
PATH=$PATH:/usr/sbin
sleep 1
for one in source client; do chronyd -x -U -u root -f /run/chrony/$one.conf >/dev/null 2>&1; done`);
    const [end] = await host.apply(chronySync({ deadlineSeconds: 60, maxOffsetSeconds: 1 }));
    expect(end).toMatchObject({ outcome: "ok", error: undefined });
  });
});
