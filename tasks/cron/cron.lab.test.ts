import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oneLabHost, outcomes } from "../../test/tasks/one-lab-host.ts";
import { cron } from "./cron.ts";

let host: Awaited<ReturnType<typeof oneLabHost>>;
beforeAll(async () => {
  host = await oneLabHost("cron-task");
  await host.sh("useradd -m worker");
});
afterAll(() => host.down());

const list = (user: string): Promise<string> => host.sh(`crontab -l -u ${user}`);
const a = cron({ name: "a", schedule: "*/2 * * * *", command: "echo 'a  b' >>/tmp/a", user: "worker" });
const b = cron({ name: "b", schedule: "@daily", command: "true", user: "worker", env: { MAILTO: "" } });

describe("cron on a real host", () => {
  test("puts two jobs into the same crontab, in check mode and in a run", async () => {
    expect(outcomes(await host.check(a, b))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(a, b))).toEqual(["changed", "changed"]);
    const text = "MAILTO=\"\"\n# furrow: a\n*/2 * * * * echo 'a  b' >>/tmp/a\n# furrow: b\n@daily true\n";
    expect(await list("worker")).toBe(text);
    expect(outcomes(await host.apply(a, b))).toEqual(["ok", "ok"]);
    expect(outcomes(await host.check(a, b))).toEqual(["ok", "ok"]);
  });

  test("adopts a line that scripts added three times, and keeps one copy", async () => {
    const added = "*/2 * * * * /usr/local/bin/watch >>/var/log/watch 2>&1";
    await host.sh(`for i in 1 2 3; do { crontab -l; echo "${added}"; } 2>/dev/null | crontab -; done`);
    const watch = cron({
      name: "watch",
      schedule: "*/2 * * * *",
      command: "/usr/local/bin/watch >>/var/log/watch 2>&1",
    });
    expect(outcomes(await host.apply(watch))).toEqual(["changed"]);
    expect(await list("root")).toBe(`# furrow: watch\n${added}\n`);
    expect(outcomes(await host.apply(watch))).toEqual(["ok"]);
    expect(outcomes(await host.apply(cron({ name: "watch", state: "absent" })))).toEqual(["changed"]);
    await expect(list("root")).rejects.toThrow("no crontab for root");
    expect(outcomes(await host.apply(cron({ name: "watch", state: "absent" })))).toEqual(["ok"]);
  });

  test("writes a file to /etc/cron.d with the mode and owner that cron requires", async () => {
    const own = cron({ name: "c", schedule: "30 4 * * sun", command: "true", file: "furrow", user: "worker" });
    expect(outcomes(await host.apply(own))).toEqual(["changed"]);
    expect(await host.sh("stat -c '%a %U' /etc/cron.d/furrow; cat /etc/cron.d/furrow")).toBe(
      "644 root\n# furrow: c\n30 4 * * sun worker true\n",
    );
    expect(outcomes(await host.apply(own))).toEqual(["ok"]);
    expect(outcomes(await host.apply(cron({ name: "c", state: "absent", file: "furrow" })))).toEqual(["changed"]);
    await host.sh("[ ! -e /etc/cron.d/furrow ]");
  });

  test("reports a missing user or crontab program, in check mode too", async () => {
    const stranger = cron({ name: "x", schedule: "@daily", command: "true", user: "stranger" });
    for (const [end] of [await host.check(stranger), await host.apply(stranger)]) {
      expect(end?.error?.failure.what).toBe("the host has no user stranger");
    }
    await host.sh("mv /usr/bin/crontab /usr/bin/crontab.off");
    for (const [end] of [await host.check(a), await host.apply(a)]) {
      expect(end?.error?.failure.what).toContain("no crontab");
    }
    await host.sh("mv /usr/bin/crontab.off /usr/bin/crontab");
  });

  test("refuses a file in /etc/cron.d that no daemon would read, in check mode and in the run", async () => {
    await host.sh("ls -d /etc/cron.d; mv /usr/sbin/cron /usr/sbin/cron.off");
    const unread = cron({ name: "c", schedule: "@daily", command: "true", file: "furrow" });
    for (const [end] of [await host.check(unread), await host.apply(unread)]) {
      expect(end?.error?.failure.what).toContain("no cron daemon");
    }
    await host.sh("mv /usr/sbin/cron.off /usr/sbin/cron");
  });

  test("keeps a change that another program makes after the guard, and adds the job in the next run", async () => {
    await host.sh(`mv /usr/bin/crontab /usr/bin/crontab.real; cat >/usr/bin/crontab <<'EOF'
#!/bin/sh
if [ ! -e /tmp/changed ] && tr '\\0' ' ' </proc/$PPID/cmdline | grep -q 'verb='; then
  touch /tmp/changed; { crontab.real -u worker -l; echo '@daily other'; } | crontab.real -u worker -
fi
exec crontab.real "$@"
EOF
chmod 755 /usr/bin/crontab`);
    const late = cron({ name: "late", schedule: "@daily", command: "true", user: "worker" });
    const [end] = await host.apply(late);
    expect(end?.error?.failure.details?.join("\n")).toContain("something else changed the crontab of worker");
    expect(await list("worker")).toMatch(/@daily other\n$/);
    expect(outcomes(await host.apply(late))).toEqual(["changed"]);
    expect(await list("worker")).toMatch(/@daily other\n# furrow: late\n@daily true\n$/);
    expect(outcomes(await host.apply(late))).toEqual(["ok"]);
    await host.sh("mv /usr/bin/crontab.real /usr/bin/crontab");
  });
});
