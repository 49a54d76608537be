import { describe, expect, test } from "vitest";
import { type Playbook, playbook, type TaskCall } from "../../src/authoring.ts";
import { gcpHost, gcpHostGone, gcpHostSchema } from "../../roles/gcp-host/role.ts";
import * as t from "../../tasks/index.ts";
import { covered } from "../covered.ts";
import { destroyNetwork, provisionNetwork } from "./gce-books.ts";
import { type GceFake, project } from "./gce-fake/fake.ts";
import { eachWithGceFake } from "./gce-fake/here.ts";
import { type RunHere, runHere } from "./run-here.ts";

let fake: GceFake;
eachWithGceFake((made) => {
  fake = made;
});

const region = "europe-west3";
const outcomes = ({ tasks }: RunHere): string[] => tasks.map(({ outcome, error }) => error?.message ?? outcome);
const all = (outcome: string): string[] => Array.from({ length: 4 }, () => outcome);
const book = (...calls: readonly TaskCall[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => calls }] });
const one = { networks: ["lab"], subnetworks: ["lab"], firewalls: ["lab"], disks: ["lab"], instances: ["lab"] };
const subnet = (more: object = {}) =>
  t.gceSubnetwork({ name: "lab", project, region, network: "lab", cidr: "10.20.0.0/20", ...more });
const custom = t.gceNetwork({ name: "lab", project, subnets: "custom" });
const there = (): unknown => fake.state.things.get(`projects/${project}/regions/${region}/subnetworks/lab`);

describe("a machine's own subnetwork on Compute Engine", () => {
  test("is predicted by check mode, created, left alone by a rerun, and removed in order", async () => {
    const check = await runHere(provisionNetwork, { mode: "check" });
    expect(outcomes(check)).toEqual(all("changed"));
    expect(fake.changes).toEqual([]);
    const run = await runHere(provisionNetwork);
    expect(outcomes(run)).toEqual(all("changed"));
    expect(run.tasks.map(({ changes }) => changes)).toEqual(check.tasks.map(({ changes }) => changes));
    expect(fake.things()).toEqual(one);
    expect(there()).toMatchObject({ ipCidrRange: "10.20.0.0/20", privateIpGoogleAccess: true });
    const before = fake.changes.length;
    expect(outcomes(await runHere(provisionNetwork))).toEqual(all("ok"));
    expect(fake.changes.length).toBe(before);
    const dry = await runHere(destroyNetwork, { mode: "check" });
    expect(outcomes(await runHere(destroyNetwork))).toEqual(outcomes(dry));
    expect(fake.things()).toEqual({});
    expect(outcomes(await runHere(destroyNetwork))).toEqual(all("ok"));
  });

  test("grows and gets private Google access in place", async () => {
    await runHere(book(custom, subnet({ cidr: "10.20.0.0/24" })));
    const wanted = book(custom, subnet({ privateGoogleAccess: true }));
    expect(outcomes(await runHere(wanted, { mode: "check" }))).toEqual(["ok", "changed"]);
    expect(outcomes(await runHere(wanted))).toEqual(["ok", "changed"]);
    expect(there()).toMatchObject({ ipCidrRange: "10.20.0.0/20", privateIpGoogleAccess: true });
    expect(outcomes(await runHere(wanted))).toEqual(["ok", "ok"]);
  });

  test("replaces the automatic subnetworks when its network is switched to custom mode", async () => {
    await runHere(book(t.gceNetwork({ name: "lab", project })));
    expect(outcomes(await runHere(book(custom)))).toEqual(["changed"]);
    expect(outcomes(await runHere(book(custom)))).toEqual(["ok"]);
    expect(fake.state.things.get(`projects/${project}/global/networks/lab`)).toMatchObject({
      autoCreateSubnetworks: false,
    });
  });

  test("is waited for until the list of subnetworks shows it", async () => {
    fake.settings.listLag = 4;
    expect(outcomes(await runHere(provisionNetwork))).toEqual(all("changed"));
    expect(outcomes(await runHere(destroyNetwork))).toEqual(all("changed"));
    expect(fake.things()).toEqual({});
  });

  test("is created and deleted with the machine by the role for Google Cloud", async () => {
    const host = gcpHostSchema.parse({ project, publicKey: "ssh-ed25519 AAAA", subnetCidr: "10.20.0.0/24" });
    // The last task waits for a login, but the fake's machines accept no logins.
    const tasks = gcpHost(host, ["192.0.2.7/32"]).slice(0, -1);
    const make = playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks }] });
    const made = await runHere(make);
    // Without OS Login, there is no key to register.
    const isLogin = ({ title }: { readonly title: string }): boolean => title.includes("gceOsLogin");
    expect(new Set(outcomes({ ...made, tasks: made.tasks.filter(isLogin) }))).toEqual(new Set(["ok"]));
    expect(new Set(outcomes({ ...made, tasks: made.tasks.filter((task) => !isLogin(task)) }))).toEqual(
      new Set(["changed"]),
    );
    expect(fake.things()["subnetworks"]).toEqual(["harvester-own"]);
    const remove = playbook({ name: "gone", plays: [{ hosts: "all", tasks: () => gcpHostGone(host) }] });
    expect(outcomes(await runHere(remove)).filter((end) => end !== "changed" && end !== "ok")).toEqual([]);
    expect(fake.things()).toEqual({});
  });

  test("is not mistaken for an automatic one when the role's machine is deleted", async () => {
    const host = gcpHostSchema.parse({ project, publicKey: "ssh-ed25519 AAAA" });
    const tasks = gcpHost(host, ["192.0.2.7/32"]).slice(0, -1);
    await runHere(playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks }] }));
    const remove = playbook({ name: "gone", plays: [{ hosts: "all", tasks: () => gcpHostGone(host) }] });
    expect(outcomes(await runHere(remove)).filter((end) => end !== "changed" && end !== "ok")).toEqual([]);
    expect(fake.things()).toEqual({});
  });

  test("is not removed, and neither is a firewall, if the machine is in a zone other than the given one", async () => {
    const host = gcpHostSchema.parse({ project, publicKey: "ssh-ed25519 AAAA", zone: "europe-west3-b" });
    const tasks = gcpHost(host, ["192.0.2.7/32"]).slice(0, -1);
    await runHere(playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks }] }));
    const [before, things] = [fake.changes.length, fake.things()];
    const destroy = (zone: string): Playbook =>
      playbook({ name: "gone", plays: [{ hosts: "all", tasks: () => gcpHostGone({ ...host, zone }) }] });
    for (const mode of ["check", "apply"] as const) {
      const [first] = outcomes(await runHere(destroy("us-central1-a"), { mode }));
      expect(first).toContain("the instance harvester is not in us-central1-a, but in europe-west3-b");
    }
    expect(fake.things()).toEqual(things);
    expect(fake.changes.length).toBe(before);
    expect(
      outcomes(await runHere(destroy("europe-west3-b"))).filter((end) => end !== "changed" && end !== "ok"),
    ).toEqual([]);
    expect(fake.things()).toEqual({});
    // A run is not refused if the machine does not exist in any zone, because an earlier run may have left other
    // resources behind.
    expect(new Set(outcomes(await runHere(destroy("us-central1-a"))))).toEqual(new Set(["ok"]));
  });

  test("is not removed if only disks and an address are left of the machine, in a zone other than the given one", async () => {
    const host = gcpHostSchema.parse({ project, publicKey: "ssh-ed25519 AAAA", zone: "europe-west3-b" });
    const tasks = gcpHost(host, ["192.0.2.7/32"]).slice(0, -1);
    await runHere(playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks }] }));
    await runHere(
      book(t.gceInstance({ name: "harvester", project, zone: host.zone, owner: "harvester", state: "absent" })),
    );
    const things = fake.things();
    const destroy = (zone: string): Playbook =>
      playbook({ name: "gone", plays: [{ hosts: "all", tasks: () => gcpHostGone({ ...host, zone }) }] });
    for (const mode of ["check", "apply"] as const) {
      const [first] = outcomes(await runHere(destroy("us-central1-a"), { mode }));
      expect(first).toContain(
        "everything that is left of it is outside us-central1-a: disk harvester-data-1 in europe-west3-b",
      );
      expect(first).toContain("address harvester in europe-west3");
    }
    expect(fake.things()).toEqual(things);
    await runHere(destroy("europe-west3-b"));
    expect(fake.things()).toEqual({});
  });

  test("exists once, or not at all, after a run that was killed after any call and then repeated", async () => {
    const made = book(custom, subnet({ privateGoogleAccess: true }));
    const gone = book(subnet({ state: "absent" }), t.gceNetwork({ name: "lab", project, state: "absent" }));
    let at = 0;
    for (let through = false; !through;) {
      at += 1;
      fake.wipe();
      const killed = async (run: Playbook, call: number): Promise<boolean> => {
        const kill = new AbortController();
        const from = fake.calls.length;
        fake.cut = (number) => {
          if (number !== from + call) return false;
          kill.abort(new Error("killed"));
          return true;
        };
        const { result } = await runHere(run, { kill: kill.signal });
        fake.heal();
        return result.interrupted;
      };
      const first = await killed(made, at);
      expect([at, outcomes(await runHere(made)).filter((end) => !/^(ok|changed)$/.test(end))]).toEqual([at, []]);
      expect([at, fake.things()]).toEqual([at, { networks: ["lab"], subnetworks: ["lab"] }]);
      const second = await killed(gone, at);
      expect([at, outcomes(await runHere(gone)).filter((end) => !/^(ok|changed)$/.test(end))]).toEqual([at, []]);
      expect([at, fake.things()]).toEqual([at, {}]);
      through = !first && !second;
    }
    covered(`Compute Engine: a subnetwork and its removal, killed after each of ${at - 1} calls and then rerun`);
  });
});
