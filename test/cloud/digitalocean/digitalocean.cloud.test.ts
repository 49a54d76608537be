import { describe, expect, test } from "vitest";
import { type Playbook, playbook } from "../../../src/authoring.ts";
import { digitalOceanDriver } from "../../../src/cloud/digitalocean/driver.ts";
import {
  digitalOceanHost,
  digitalOceanHostGone,
  digitalOceanHostSchema,
} from "../../../roles/digitalocean-host/role.ts";
import * as t from "../../../tasks/index.ts";
import { covered } from "../../covered.ts";
import { destroy, provision } from "./books.ts";
import type { DigitalOceanFake } from "../digitalocean-fake/fake.ts";
import { eachWithDigitalOceanFake } from "../digitalocean-fake/here.ts";
import { type RunHere, runHere } from "../run-here.ts";

let fake: DigitalOceanFake;
eachWithDigitalOceanFake((made) => {
  fake = made;
});

const ends = ({ tasks }: RunHere): (string | undefined)[][] =>
  tasks.map(({ title, outcome, error }) =>
    [title, outcome, error?.failure.what, error?.failure.current].filter(Boolean),
  );
const outcomes = ({ tasks }: RunHere): unknown[] => tasks.map(({ outcome }) => outcome);
const all = { droplets: ["lab"], volumes: ["lab-data"], keys: ["lab (made by furrow)"], firewalls: ["lab"] };

/** A playbook with these tasks. */
const book = (...tasks: ReturnType<typeof t.digitalOceanDroplet>[] | object[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks as never }] });
const droplet = (params: object = {}) =>
  t.digitalOceanDroplet({
    name: "web",
    region: "fra1",
    size: "g-8vcpu-32gb",
    image: "debian-12-x64",
    publicKeys: ["ssh-ed25519 BBBB"],
    ...params,
  });
const key = t.digitalOceanSshKey({ name: "web", publicKey: "ssh-ed25519 BBBB" });

describe("destroy-cloud, for a droplet outside the default region", () => {
  const publicKey = "ssh-ed25519 BBBB";
  const host = digitalOceanHostSchema.parse({ prefix: "lab", region: "ams3", publicKey });
  const made = book(...digitalOceanHost(host, ["192.0.2.7/32"]).slice(0, -1));
  const gone = (region?: string): Playbook => book(...digitalOceanHostGone({ prefix: "lab", region }));

  test("deletes the volume too", async () => {
    await runHere(made);
    expect(fake.account.things()).toMatchObject({ droplets: ["lab"], volumes: ["lab-data-1"] });
    await runHere(gone());
    expect(fake.account.things()).toEqual({});
    expect(new Set(outcomes(await runHere(gone())))).toEqual(new Set(["ok"]));
  });

  test("deletes the volume that a killed run has left behind, but nobody else's volume", async () => {
    await runHere(made);
    fake.account.droplets.length = 0;
    const foreign = { id: "f", name: "lab-data-1", region: "nyc3", tags: new Set(["db"]), size: 1, droplet: undefined };
    fake.account.volumes.push({ ...foreign, lag: 0 });
    await runHere(gone());
    expect(fake.account.volumes.map(({ id }) => id)).toEqual(["f"]);
  });

  test.each(["check", "apply"] as const)("refuses a wrong region before it deletes anything (%s)", async (mode) => {
    await runHere(made);
    const before = fake.account.things();
    const { tasks } = await runHere(gone("fra1"), { mode });
    expect(tasks[0]?.error?.failure).toMatchObject({
      what: "the droplet lab is in ams3, not in fra1",
      hint: "Set region to ams3 to delete this droplet and its volumes, or leave region out",
    });
    expect(fake.account.things()).toEqual(before);
  });
});

describe("a droplet", () => {
  test("is created, needs no change in a second run, and is removed", async () => {
    expect(ends(await runHere(provision))).toEqual([
      ["digitalOceanSshKey lab", "changed"],
      ["digitalOceanFirewall lab", "changed"],
      ["digitalOceanVolume lab-data", "changed"],
      ["digitalOceanDroplet lab", "changed"],
    ]);
    expect(fake.account.things()).toEqual(all);
    const [made] = fake.account.droplets;
    expect([...(made?.tags ?? [])].toSorted()).toEqual(["furrow:lab", "made-by:furrow"]);
    expect(made?.keys).toEqual([fake.account.keys[0]?.id]);
    expect(fake.account.volumes[0]).toMatchObject({ droplet: made?.id, size: 350 });
    expect(fake.account.firewalls[0]?.inbound).toEqual([
      { protocol: "tcp", ports: "22", sources: { addresses: ["192.0.2.7/32"] } },
    ]);
    const before = fake.changes.length;
    expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "ok"]);
    expect(fake.changes.length).toBe(before);
    expect(ends(await runHere(destroy))).toEqual([
      ["digitalOceanDroplet lab", "changed"],
      ["digitalOceanVolume lab-data", "changed"],
      ["digitalOceanFirewall lab", "changed"],
      ["digitalOceanSshKey lab", "changed"],
    ]);
    expect(fake.account.things()).toEqual({});
    expect(outcomes(await runHere(destroy))).toEqual(["ok", "ok", "ok", "ok"]);
  });

  test("is protected by its firewall from the start", async () => {
    await runHere(provision);
    const at = (call: string): number => fake.changes.indexOf(call);
    expect(at("POST firewalls")).toBeGreaterThanOrEqual(0);
    expect(at("POST firewalls")).toBeLessThan(at("POST droplets"));
  });

  test("is started, resized and tagged if it is off", async () => {
    await runHere(book(key, droplet()));
    const [made] = fake.account.droplets;
    Object.assign(made ?? {}, { status: "off", next: "" });
    const later = droplet({ size: "g-16vcpu-64gb", tags: ["web"] });
    expect(ends(await runHere(book(later)))).toEqual([["digitalOceanDroplet web", "changed"]]);
    expect(made).toMatchObject({ status: "active", size: "g-16vcpu-64gb" });
    expect([...(made?.tags ?? [])].toSorted()).toEqual(["furrow:furrow", "web"]);
  });

  test("keeps its volume when the volume is attached and when it grows", async () => {
    await runHere(book(key, droplet()));
    const data = (sizeGb: number) => t.digitalOceanVolume({ name: "data", region: "fra1", sizeGb });
    const more = book(data(100), droplet({ volumes: ["data"] }));
    expect(outcomes(await runHere(more))).toEqual(["changed", "changed"]);
    expect(fake.account.volumes[0]?.droplet).toBe(fake.account.droplets[0]?.id);
    expect(outcomes(await runHere(book(data(200), droplet({ volumes: ["data"] }))))).toEqual(["changed", "ok"]);
    expect(fake.account.volumes[0]?.size).toBe(200);
    const inUse = await runHere(book(t.digitalOceanVolume({ name: "data", region: "fra1", state: "absent" })));
    expect(ends(inUse)[0]?.[2]).toMatch(/attached to the droplet web/);
  });
});

describe("a provisioning run that is killed after any call", () => {
  test("leaves exactly one of each resource after the next run", async () => {
    let at = 0;
    for (let through = false; !through;) {
      at += 1;
      fake.wipe();
      const kill = new AbortController();
      fake.cut = (call) => {
        if (call !== at) return false;
        kill.abort(new Error("killed"));
        return true;
      };
      const first = await runHere(provision, { kill: kill.signal });
      through = fake.calls.length < at;
      expect(first.result.interrupted, `after call ${at}`).toBe(!through);
      fake.heal();
      const second = await runHere(provision);
      expect(
        ends(second).filter((end) => end[1] === "failed"),
        `after call ${at}`,
      ).toEqual([]);
      expect(fake.account.things(), `after call ${at}`).toEqual(all);
    }
    covered(`DigitalOcean: a provisioning run, killed after each of its ${at - 1} calls and then rerun`);
  }, 300_000);
});

describe("check mode", () => {
  test.each([
    { title: "a provisioning run", run: provision, before: undefined },
    { title: "a provisioning run on converged resources", run: provision, before: provision },
    { title: "a removal", run: destroy, before: provision },
  ])("predicts $title without changing anything", async ({ run, before }) => {
    if (before) await runHere(before);
    const made = fake.changes.length;
    const checked = await runHere(run, { mode: "check" });
    expect(fake.changes.length).toBe(made);
    const applied = await runHere(run);
    expect(ends(checked)).toEqual(ends(applied));
    expect(applied.result.failed).toEqual([]);
  });
});

describe("an obstacle is found in check mode, before anything changes", () => {
  const says = async (one: Playbook): Promise<string> => {
    const before = fake.changes.length;
    const { tasks } = await runHere(one, { mode: "check" });
    expect(fake.changes.length).toBe(before);
    const failure = tasks.find(({ outcome }) => outcome === "failed")?.error?.failure;
    return [failure?.what, failure?.current, failure?.expected, failure?.hint].filter(Boolean).join(" | ");
  };

  test.each([
    [{ region: "lon1" }, /there is no region lon1 \| Choose another region/],
    [{ region: "nyc2" }, /the region nyc2 accepts no new droplets at the moment/],
    [{ size: "g-7vcpu-1gb" }, /there is no size g-7vcpu-1gb/],
    [{ size: "g-32vcpu-128gb" }, /fra1 does not currently offer the size g-32vcpu-128gb .*\| one of ams3/],
    [{ size: "g-60vcpu-240gb" }, /does not currently offer the size g-60vcpu-240gb/],
    [{ image: "debian-99-x64" }, /there is no image debian-99-x64/],
    [{ image: "huge-x64" }, /needs a disk of 500 GB, but the size g-8vcpu-32gb has 100 GB/],
    [{ volumes: ["data"] }, /there is no volume data in fra1/],
  ])("%o", async (params, message) => {
    expect(await says(book(key, droplet(params)))).toMatch(message);
  });

  test("a key that is not registered", async () => {
    expect(await says(book(droplet()))).toMatch(/the public key ssh-ed25519 BBBB… is not registered/);
  });

  test("the account's droplet limit, which the whole plan must respect", async () => {
    fake.account.limit = 1;
    const two = book(key, droplet(), droplet({ name: "web-2" }));
    expect(await says(two)).toMatch(
      /droplet limit is 1, .*the droplet web-2 \| 0 droplets, and 1 that earlier tasks create/,
    );
    expect((await runHere(two)).result.failed).not.toEqual([]);
    expect(fake.account.things()).toEqual({});
  });

  test("a locked account", async () => {
    Object.assign(fake.account, { status: "locked", statusMessage: "Please contact support" });
    expect(await says(book(key, droplet()))).toMatch(/has locked the account.*\| Please contact support/);
  });

  test("a limit that the token is not allowed to read is reported in a note, and does not stop the run", async () => {
    fake.planned.push({ on: /^GET account$/, status: 403, id: "forbidden", message: "You lack scopes", times: 9 });
    expect(outcomes(await runHere(book(key, droplet()), { mode: "check" }))).toEqual(["changed", "changed"]);
  });
});

describe("what furrow did not create is left alone", () => {
  const fails = async (one: Playbook): Promise<string | undefined> => ends(await runHere(one))[0]?.[2];

  test("a droplet, a volume and a firewall with the same names", async () => {
    await runHere(provision);
    for (const { tags } of [...fake.account.droplets, ...fake.account.volumes]) tags.delete("furrow:lab");
    Object.assign(fake.account.firewalls[0] ?? {}, { tags: ["theirs"] });
    const before = fake.changes.length;
    const owner = "lab";
    const gone = { name: "lab", owner, state: "absent" as const };
    expect(await fails(book(t.digitalOceanDroplet(gone)))).toMatch(/was not created for lab/);
    expect(await fails(book(t.digitalOceanFirewall(gone)))).toMatch(/was not created for lab/);
    const volume = t.digitalOceanVolume({ ...gone, name: "lab-data", region: "fra1" });
    expect(await fails(book(volume))).toMatch(/was not created for lab/);
    expect(await fails(provision)).toBeUndefined();
    expect(fake.changes.length).toBe(before);
  });

  test("a droplet that replaces furrow's own droplet after the task has read it", async () => {
    await runHere(book(key, droplet()));
    const [made] = fake.account.droplets;
    made?.tags.delete("furrow:furrow");
    const act = { act: "deleteDroplet", name: "web", owner: "furrow" };
    await expect(digitalOceanDriver.call?.(act, new AbortController().signal)).rejects.toThrow(
      "the droplet web is not the one that furrow created for furrow",
    );
    expect(fake.account.things()).toMatchObject({ droplets: ["web"] });
  });

  test("two droplets with one name", async () => {
    await runHere(book(key, droplet()));
    const [made] = fake.account.droplets;
    if (made) fake.account.droplets.push({ ...made, id: 7, tags: new Set(["furrow:furrow"]) });
    expect(await fails(book(t.digitalOceanDroplet({ name: "web", state: "absent" })))).toMatch(
      /DigitalOcean has 2 resources that are called droplet web/,
    );
  });

  test("a key that is registered under another name", async () => {
    fake.account.keys.push({ id: 1, name: "mine", publicKey: "ssh-ed25519 BBBB me@home" });
    expect(outcomes(await runHere(book(key, droplet())))).toEqual(["ok", "changed"]);
    expect(fake.account.droplets[0]?.keys).toEqual([1]);
    await runHere(book(t.digitalOceanSshKey({ name: "web", state: "absent" })));
    expect(fake.account.things()).toMatchObject({ keys: ["mine"] });
  });
});
