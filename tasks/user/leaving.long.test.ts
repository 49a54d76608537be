import type { TaskCall } from "../../src/core/authoring/call.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OneLabHost, oneLabHost, outcomes } from "../../test/tasks/one-lab-host.ts";
import { file } from "../file/file.ts";
import { service } from "../service/service.ts";
import { user } from "./user.ts";

// userdel removes the account before it fails on the home directory, so everything that it would refuse must be known
// first.
let host: OneLabHost;
beforeAll(async () => {
  host = await oneLabHost("user-leaving");
});
afterAll(() => host.down());

/** Expects that check mode, a run and a rerun all refuse, and that nothing has changed. */
async function refusesAlways(code: string, ...nodes: TaskCall[]): Promise<string> {
  const said: string[] = [];
  for (const act of ["check", "apply", "apply"] as const) {
    const ends = await host[act](...nodes);
    expect(ends.at(-1)?.error?.failure.details).toEqual([`refused: ${code}`]);
    const { what, current, hint } = ends.at(-1)?.error?.failure ?? {};
    said.push([what, current, hint].join("\n"));
  }
  expect(new Set(said).size).toBe(1);
  return said[0] ?? "";
}

const leaves = (name: string) => user({ name, state: "absent", removeHome: true });

describe("the removal of a user with its home, in check mode and in the run", () => {
  test.each([
    {
      home: "a home that another user owns",
      name: "l1",
      make: "mkdir -p /srv/www; echo x > /srv/www/a; useradd -d /srv/www l1",
    },
    { home: "a home that is a link", name: "l2", make: "useradd -m l2; mv /home/l2 /srv/l2; ln -s /srv/l2 /home/l2" },
    { home: "a home that is a file", name: "l3", make: "useradd -M l3; echo x > /home/l3; chown l3 /home/l3" },
  ])("is refused for $home", async ({ name, make }) => {
    await host.sh(make);
    expect(await refusesAlways("home-not-own", leaves(name))).toContain(name);
    await host.sh(`id ${name}`);
  });

  test("is refused for mail that another user owns", async () => {
    await host.sh("useradd -m l4; touch /var/mail/l4; chown root /var/mail/l4");
    expect(await refusesAlways("home-not-own", leaves("l4"))).toContain("/var/mail/l4");
    await host.sh("id l4; [ -d /home/l4 ]; chown l4 /var/mail/l4");
    expect(await host.apply(leaves("l4"))).toMatchObject([{ outcome: "changed" }]);
    await host.sh("[ ! -e /home/l4 ] && [ ! -e /var/mail/l4 ]");
  });

  test("is refused for a home that contains another user's home, which userdel would also remove", async () => {
    await host.sh("useradd -m l5; useradd -m -d /home/l5/sub l6; echo x > /home/l5/sub/a");
    expect(await refusesAlways("home-is-shared", leaves("l5"))).toContain("l6");
    await host.sh("id l5; [ -s /home/l5/sub/a ]; userdel l6");
    expect(await host.apply(leaves("l5"))).toMatchObject([{ outcome: "changed" }]);
  });

  test("is allowed if an earlier task gives the home to the user", async () => {
    await host.sh("mkdir -p /srv/seven; useradd -d /srv/seven l7");
    const nodes = [file({ path: "/srv/seven", state: "directory", owner: "l7" }), leaves("l7")];
    expect(await host.check(...nodes)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
    expect(await host.apply(...nodes)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
    await host.sh("[ ! -e /srv/seven ]");
  });
});

describe("a user with processes", () => {
  const start = (name: string): Promise<string> =>
    host.sh(`id -u ${name} > /dev/null 2>&1 || useradd -m ${name}
systemd-run -q --uid=${name} --unit=busy-${name} sleep 600
until pgrep -u ${name} sleep; do sleep 0.1; done`);

  test.each([
    { what: "is not removed", params: { state: "absent" as const } },
    { what: "is not removed with its home", params: { state: "absent" as const, removeHome: true } },
    { what: "gets no new UID", params: { uid: 7777 } },
    { what: "gets no new home", params: { home: "/srv/elsewhere" } },
  ])("$what: the refusal names the process", async ({ params }) => {
    const pid = (await start("busy")).trim();
    const said = await refusesAlways("user-busy", user({ name: "busy", ...params }));
    expect(said).toContain(`sleep (${pid})`);
    await host.sh("systemctl stop busy-busy");
  });

  test("gets changes that do not need an idle user, and is removed if an earlier task stops its service", async () => {
    await start("busy");
    expect(await host.apply(user({ name: "busy", comment: "Busy" }))).toMatchObject([{ outcome: "changed" }]);
    const nodes = [service({ name: "busy-busy", state: "stopped" }), leaves("busy")];
    const checked = outcomes(await host.check(...nodes));
    // The user may have processes besides those of the service.
    expect(checked).toEqual(["changed", "undecided"]);
    expect(await host.apply(...nodes)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
    expect(await host.apply(leaves("busy"))).toMatchObject([{ outcome: "ok" }]);
  });
});
