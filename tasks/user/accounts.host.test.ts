import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { converge } from "../../test/packages/converge.ts";
import { group } from "../group/group.ts";
import { user } from "./user.ts";

// The tests work on a copy of the accounts in /etc, which is discarded.
let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

describe("accounts", () => {
  test("gives a user the group of the same name that an earlier task creates", async () => {
    const nodes = [group({ name: "furrowx" }), user({ name: "furrowx", createHome: false })];
    const changed = ["changed", "changed"];
    expect(await converge(host, ...nodes)).toEqual({ checked: changed, ran: changed });
    expect(await host.sh("id -gn furrowx")).toBe("furrowx\n");
  });

  test("creates a user even if a group of the same name exists", async () => {
    await host.sh("groupadd furrowy");
    const call = user({ name: "furrowy", createHome: false });
    expect(await converge(host, call)).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test("refuses a UID or GID that another account has, in check mode and in the run", async () => {
    await host.sh("groupadd -g 61001 one; useradd -M -N -u 61001 one; useradd -M -N -u 61003 onemore");
    const nodes = [
      user({ name: "two", uid: 61_001, createHome: false }, { ignoreFailure: true }),
      group({ name: "two", gid: 61_001 }, { ignoreFailure: true }),
      user({ name: "furrowx", uid: 61_003 }, { ignoreFailure: true }),
    ];
    for (const ends of [await host.check(...nodes), await host.apply(...nodes)]) {
      expect(ends.map(({ error }) => error?.failure.details)).toEqual(nodes.map(() => ["refused: number-taken"]));
    }
  });

  test("removes a new user whose home could not be created, so that the next run tries again", async () => {
    await host.sh("mkdir -p /etc/full && mount -t tmpfs -o nr_inodes=1 full /etc/full");
    const call = user({ name: "homeless", home: "/etc/full/homeless" });
    for (let tries = 0; tries < 2; tries += 1) {
      const [end] = await host.apply(call);
      expect(end?.error?.failure.details?.join("\n")).toContain("cannot create directory");
    }
    expect(await host.sh("getent passwd homeless; getent group homeless; true")).toBe("");
    await host.sh("umount /etc/full");
    expect(await converge(host, call)).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test("fails in check mode and in the run if the home of a new user cannot be created", async () => {
    const call = user({ name: "rootless", home: "/proc/rootless" });
    for (const [end] of [await host.check(call), await host.apply(call)])
      expect(end).toMatchObject({ outcome: "failed", error: { code: "E_STEP" } });
  });

  test("uses a UID that an earlier task frees", async () => {
    const nodes = [
      group({ name: "one", gid: 61_002 }),
      group({ name: "three", gid: 61_001 }),
      user({ name: "one", state: "absent" }),
      user({ name: "three", uid: 61_001, group: "three", createHome: false }),
    ];
    const checked = (await host.check(...nodes)).map(({ outcome }) => outcome);
    expect(checked).not.toContain("failed");
    expect((await host.apply(...nodes)).map(({ outcome, error }) => error?.failure ?? outcome)).toEqual(
      nodes.map(() => "changed"),
    );
  });
});

const changed = { checked: ["changed"], ran: ["changed"] };
const ok = { checked: ["ok"], ran: ["ok"] };

describe("a list of groups that contains the user's primary group", () => {
  const name = "primary";
  const call = (params: { groups: string[]; exactGroups?: boolean; group?: string; shell?: string }) =>
    user({ name, createHome: false, ...params });
  beforeAll(async () => {
    await host.sh("groupadd furrowk; groupadd furrowl; useradd -M -g furrowk primary");
  });

  test("is right if the user is in the other groups", async () => {
    expect(await converge(host, call({ groups: ["furrowk"] }))).toEqual(ok);
    expect(await converge(host, call({ groups: ["furrowk"], exactGroups: true }))).toEqual(ok);
  });

  test("is right after the user was added to the other groups or was removed from them", async () => {
    expect(await converge(host, call({ groups: ["furrowk", "furrowl"], shell: "/bin/sh" }))).toEqual(changed);
    expect(await host.sh("id -nG primary")).toBe("furrowk furrowl\n");
    expect(await converge(host, call({ groups: ["furrowk"], exactGroups: true }))).toEqual(changed);
    expect(await host.sh("id -nG primary")).toBe("furrowk\n");
    expect(await converge(host, call({ group: "furrowl", groups: ["furrowk"], exactGroups: true }))).toEqual(changed);
    expect(await host.sh("id -nG primary")).toBe("furrowl furrowk\n");
  });

  test.each([false, true])(
    "is right for a new user, whose primary group the host chooses; exactGroups: %j",
    async (exactGroups) => {
      const params = { groups: ["users"], exactGroups, createHome: false };
      await host.sh(
        "sed -i 's/^USERGROUPS_ENAB.*/USERGROUPS_ENAB no/' /etc/login.defs; sed -i '/^GROUP=/d' /etc/default/useradd; echo GROUP=100 >>/etc/default/useradd",
      );
      const call = user({ name: `shared${exactGroups}`, ...params });
      expect(await converge(host, call)).toEqual(changed);
      expect(await host.sh(`id -nG shared${exactGroups}`)).toBe("users\n");
      await host.sh("sed -i 's/^USERGROUPS_ENAB.*/USERGROUPS_ENAB yes/' /etc/login.defs");
      await host.sh(`groupadd own${exactGroups}`);
      const own = user({ name: `own${exactGroups}`, ...params, groups: ["users", `own${exactGroups}`] });
      expect(await converge(host, own)).toEqual(changed);
    },
  );
});

describe("accounts that come from a directory service", () => {
  beforeAll(async () => {
    await host.sh(`sed -i -e 's/^passwd:.*/passwd: files systemd/' -e 's/^group:.*/group: files systemd/' /etc/nsswitch.conf
mkdir -p /etc/userdb; cd /etc/userdb
echo '{"userName":"alice","uid":61501,"gid":61502,"homeDirectory":"/home/alice","shell":"/bin/bash"}' >alice.user; ln -s alice.user 61501.user
echo '{"groupName":"domain users","gid":61502}' >"domain users.group"; ln -s "domain users.group" 61502.group
echo '{"groupName":"admins","gid":61503}' >admins.group; ln -s admins.group 61503.group
groupadd domain; useradd -M local`);
  });

  test("are right if nothing differs, and may be added to local groups", async () => {
    expect(await host.sh("id -nG alice; getent group admins")).toBe("domain users\nadmins:x:61503:\n");
    expect(await converge(host, user({ name: "alice", shell: "/bin/bash" }))).toEqual(ok);
    expect(await converge(host, group({ name: "admins", gid: 61_503 }))).toEqual(ok);
    expect(await converge(host, user({ name: "alice", shell: "/bin/bash", groups: ["domain"] }))).toEqual(changed);
    expect(await host.sh("id -nG alice")).toBe("domain users domain\n");
    expect(await converge(host, user({ name: "alice", groups: [], exactGroups: true }))).toEqual(changed);
  });

  test("are not changed: check and the run refuse what usermod and groupmod would refuse", async () => {
    const options = { ignoreFailure: true };
    const nodes = [
      user({ name: "alice", shell: "/bin/sh" }, options),
      user({ name: "alice", state: "absent" }, options),
      user({ name: "local", groups: ["admins"] }, options),
      user({ name: "newcomer", groups: ["admins"], createHome: false }, options),
      group({ name: "admins", gid: 61_504 }, options),
      group({ name: "admins", state: "absent" }, options),
    ];
    for (const node of nodes)
      for (const [end] of [await host.check(node), await host.apply(node)])
        expect(end?.error?.failure.details).toEqual(["refused: account-not-local"]);
  });
});
