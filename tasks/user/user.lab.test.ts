import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { oneLabHost, outcomes } from "../../test/tasks/one-lab-host.ts";
import { authorizedKey } from "../authorized-key/authorized-key.ts";
import { cron } from "../cron/cron.ts";
import { group } from "../group/group.ts";
import { user } from "./user.ts";

let host: Awaited<ReturnType<typeof oneLabHost>>;
beforeAll(async () => {
  host = await oneLabHost("user-task");
});
afterAll(() => host.down());

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux ana@laptop";
const hash = "$6$abcdefgh$QOmZ0NYqbRkKbKjLFCzNwKZFFxP6mJcUhOTGxvIhMuDVbiZOVE0LvHeN/dHcFvK0cSYI3SCgpBTQzwW8cqRcr.";

describe("accounts on a real host", () => {
  test("are all predicted on an empty host, then created, and then ok", async () => {
    const nodes = [
      group({ name: "furrow", gid: 1500 }),
      group({ name: "extra" }),
      user({
        name: "ana",
        uid: 1501,
        group: "furrow",
        groups: ["extra"],
        shell: "/bin/sh",
        comment: "Ana",
        passwordHash: secretOf(hash, "ana"),
      }),
      authorizedKey({ user: "ana", key, options: "no-pty" }),
      cron({ name: "hello", schedule: "@daily", command: "true", user: "ana" }),
    ];
    const changed = nodes.map(() => "changed");
    expect(outcomes(await host.check(...nodes))).toEqual(changed);
    expect(outcomes(await host.apply(...nodes))).toEqual(changed);
    const ok = nodes.map(() => "ok");
    expect(outcomes(await host.apply(...nodes))).toEqual(ok);
    expect(outcomes(await host.check(...nodes))).toEqual(ok);
    expect(
      await host.sh("id ana; getent passwd ana; stat -c '%a %U %G' /home/ana/.ssh /home/ana/.ssh/authorized_keys"),
    ).toBe(
      "uid=1501(ana) gid=1500(furrow) groups=1500(furrow),1501(extra)\nana:x:1501:1500:Ana:/home/ana:/bin/sh\n700 ana furrow\n600 ana furrow\n",
    );
    expect(await host.sh("cat /home/ana/.ssh/authorized_keys; getent shadow ana | cut -d: -f2")).toBe(
      `no-pty ${key}\n${hash}\n`,
    );
  });

  test("get additional groups, or exactly the given groups", async () => {
    await host.sh("groupadd other; usermod -a -G other ana");
    expect(outcomes(await host.apply(user({ name: "ana", groups: ["extra"] })))).toEqual(["ok"]);
    const exact = user({ name: "ana", groups: ["extra"], exactGroups: true });
    expect(outcomes(await host.apply(exact))).toEqual(["changed"]);
    expect(await host.sh("id -nG ana")).toBe("furrow extra\n");
    const none = user({ name: "ana", groups: [], exactGroups: true });
    expect(outcomes(await host.apply(none))).toEqual(["changed"]);
    expect(outcomes(await host.apply(none))).toEqual(["ok"]);
  });

  test("change their UID, shell, group and password, and a locked password counts as a password", async () => {
    const other = user({ name: "ana", uid: 1600, group: "other", shell: "/bin/bash", passwordHash: "!" });
    expect(outcomes(await host.apply(other))).toEqual(["changed"]);
    expect(outcomes(await host.apply(other))).toEqual(["ok"]);
    expect(await host.sh("getent shadow ana | cut -d: -f2")).toBe("!\n");
    expect(outcomes(await host.apply(group({ name: "other", gid: 1700 })))).toEqual(["changed"]);
    const [refused] = await host.apply(group({ name: "other", state: "absent" }));
    expect(refused?.error?.failure.what).toContain("primary group of ana");
  });

  test("are removed, with their home if told to, and a rerun changes nothing", async () => {
    const gone = user({ name: "ana", state: "absent", removeHome: true });
    expect(outcomes(await host.check(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["ok"]);
    await host.sh("[ ! -e /home/ana ]");
    expect(outcomes(await host.apply(group({ name: "extra", state: "absent" })))).toEqual(["changed"]);
    expect(outcomes(await host.apply(group({ name: "extra", state: "absent" })))).toEqual(["ok"]);
  });

  test("have no home if they are system users, so authorized keys for them are refused", async () => {
    const daemon = user({
      name: "daemon1",
      system: true,
      createHome: false,
      home: "/nonexistent",
      shell: "/usr/sbin/nologin",
    });
    expect(outcomes(await host.apply(daemon))).toEqual(["changed"]);
    expect(outcomes(await host.apply(daemon))).toEqual(["ok"]);
    const [end] = await host.check(authorizedKey({ user: "daemon1", key }));
    expect(end?.error?.failure.what).toContain("/nonexistent");
  });
});
