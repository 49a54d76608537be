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
